// The CPU engine of `trawl map`: a seed index in memory, and verification with SIMD.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   sequence::ReadBatch reads;
//   reads.add("r1", "GATTACAGATTACAGCATG", "");
//   align::AlignmentBatch results;
//   MapOptions options;
//   options.max_edits = {false, 0, 1};
//   make_cpu_engine(reference, options)->make_worker()->map(reads, results);
//   results.alignments[0].start == 5
//   results.alignments[0].edits == 1
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "map/options.hpp"
#include "seed/seed_index.hpp"

namespace trawl::map {

/// Builds the index, with options.threads threads, unless options.seeds has it.
std::unique_ptr<engine::Engine> make_cpu_engine(const sequence::Reference& reference, const MapOptions& options);

/// The engine's range finder: like its worker, but every locus is wanted, as its whole run of ends. `reference` and
/// `index` must outlive it. Uses the options that say how to search and what ambiguous bases match.
///   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
///   const seed::SeedIndex index(reference, 8, 1);
///   const auto finder = make_cpu_range_finder(reference, index, {});
///   engine::EndRanges ranges;
///   finder->find(std::vector<engine::RangeQuery>{{"GATTACAGATTACAGCATG", 1}}, ranges);
///   ranges.of(0, false)[0].first == sequence::kContigGap + 23
std::unique_ptr<engine::RangeFinder> make_cpu_range_finder(const sequence::Reference& reference,
                                                           const seed::SeedIndex& index, const MapOptions& options);

/// The SIMD instruction set in use.
std::string cpu_engine_description();

}  // namespace trawl::map
