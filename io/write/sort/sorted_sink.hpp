// Writes BAM or CRAM in coordinate order, and the index beside it.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   const SinkOptions options{.path = "sorted.bam", .sort = SortOptions()};
//   const auto sink = make_sorted_sink(options, OutputFormat::bam, reference, md5s);
//   sink->close();                                           // now sorted.bam and its .bai exist
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// options.sort must have a value, and `format` must be BAM or CRAM. `reference` must outlive the sink. Throws IoError.
std::unique_ptr<AlignmentSink> make_sorted_sink(const SinkOptions& options, OutputFormat format,
                                                const sequence::Reference& reference,
                                                const std::vector<std::string>& md5s);

}  // namespace trawl::io
