// The file of alignments that a run writes, sorted or not.
//
//   auto sink = run::make_sink({.path = "x.bam"}, reference, io::contig_md5s(reference));
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "sequence/reference.hpp"

namespace trawl::run {

/// Opens the output and writes its header. `reference` must live longer than the sink. `md5s`: from contig_md5s();
/// may be empty unless needs_md5s(). Throws UsageError, IoError.
std::unique_ptr<io::AlignmentSink> make_sink(const io::SinkOptions& options, const sequence::Reference& reference,
                                             const std::vector<std::string>& md5s);

}  // namespace trawl::run
