#include "io/alignment_sink.hpp"

#include <htslib/hts_log.h>

#include <string_view>
#include <utility>

#include "error.hpp"
#include "io/bed_sink.hpp"
#include "io/sam_sink.hpp"

namespace trawl::io {

OutputFormat output_format(const std::string& path) {
  constexpr std::pair<std::string_view, OutputFormat> extensions[] = {{".sam", OutputFormat::sam},
                                                                      {".bam", OutputFormat::bam},
                                                                      {".cram", OutputFormat::cram},
                                                                      {".bed", OutputFormat::bed},
                                                                      {".bed.gz", OutputFormat::bed_gz}};
  if (path.empty()) {
    throw UsageError("the output has no name; give a file, or - for SAM on the standard output");
  }
  if (path == "-" || path.starts_with("/dev/")) {
    return OutputFormat::sam;
  }
  for (const auto& [extension, format] : extensions) {
    if (path.ends_with(extension)) {
      return format;
    }
  }
  throw UsageError(
      "the output " + path +
      " has no known extension; use .sam, .bam, .cram, .bed or .bed.gz, or - for SAM on the standard output");
}

std::unique_ptr<AlignmentSink> make_sink(const SinkOptions& options, const sequence::Reference& reference,
                                         const std::vector<std::string>& md5s) {
  // Failures are thrown, with the file's name; htslib's own lines on the standard error would say them twice.
  hts_set_log_level(HTS_LOG_OFF);
  const OutputFormat format = output_format(options.path);
  if (format == OutputFormat::bed || format == OutputFormat::bed_gz) {
    return std::make_unique<BedSink>(options, format, reference);
  }
  return std::make_unique<SamSink>(options, format, reference, md5s);
}

}  // namespace trawl::io
