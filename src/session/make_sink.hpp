// The output of `trawl map`: a file of alignments, sorted or not.
//
//   const auto sink = make_sink(options, reference, md5s);      // opens it
//   ...                                                         // map_reads() with *sink
//   sink->close();
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/record_sinks.hpp"
#include "sequence/reference.hpp"

namespace trawl::session {

/// Opens the output and writes its header. `reference` must live longer than the sink. `md5s`: from contig_md5s(); may
/// be empty unless needs_md5s(). Throws UsageError, IoError.
std::unique_ptr<io::AlignmentSink> make_sink(const io::SinkOptions& options, const sequence::Reference& reference,
                                             const std::vector<std::string>& md5s);

/// What makes the records of that sink, without a file. `reference` must live longer. Throws UsageError.
std::unique_ptr<io::RecordFormatter> make_formatter(const io::SinkOptions& options,
                                                    const sequence::Reference& reference);

}  // namespace trawl::session
