// The files of alignments that a run writes: the main output, sorted or not, and those of --divet and --oea.
//
//   auto sink = run::make_sink({.path = "x.bam"}, reference, io::contig_md5s(reference));
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "sequence/reference.hpp"

namespace trawl::run {

/// Opens the outputs and writes their headers. `reference` must live longer than the sink. `md5s`: from contig_md5s();
/// may be empty unless needs_md5s(). Throws UsageError, IoError.
std::unique_ptr<io::AlignmentSink> make_sink(const io::SinkOptions& options, const sequence::Reference& reference,
                                             const std::vector<std::string>& md5s);

}  // namespace trawl::run
