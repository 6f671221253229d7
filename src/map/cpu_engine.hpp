// The CPU engine of `trawl map`: a seed index in memory, and verification with SIMD.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   sequence::ReadBatch reads;
//   reads.add("r1", "GATTACAGATTACAGCATG", "");
//   align::AlignmentBatch results;
//   Options options;
//   options.max_edits = {false, 0, 1};
//   make_cpu_engine(reference, options)->make_worker()->map(reads, results);
//   results.alignments[0].start == 5
//   results.alignments[0].edits == 1
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "map/options.hpp"

namespace trawl::map {

/// Builds the index, with options.threads threads, unless options.seeds has it.
std::unique_ptr<engine::Engine> make_cpu_engine(const sequence::Reference& reference, const Options& options);

/// The SIMD instruction set in use.
std::string cpu_engine_description();

}  // namespace trawl::map
