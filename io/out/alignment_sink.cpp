#include "io/out/alignment_sink.hpp"

#include <htslib/hts_log.h>

#include "io/out/bed_sink.hpp"
#include "io/out/file_format.hpp"
#include "io/out/sam_sink.hpp"

namespace trawl::io {

OutputFormat output_format(const std::string& path) {
  constexpr OutputFormat formats[] = {OutputFormat::sam, OutputFormat::bam, OutputFormat::cram, OutputFormat::bed,
                                      OutputFormat::bed_gz};
  const auto extension = extension_of(path, {".sam", ".bam", ".cram", ".bed", ".bed.gz"}, "SAM");
  return extension ? formats[*extension] : OutputFormat::sam;
}

std::unique_ptr<AlignmentSink> make_sink(const SinkOptions& options, const sequence::Reference& reference,
                                         const std::vector<std::string>& md5s) {
  // Errors are thrown with the file's name. htslib's own messages would report them a second time.
  hts_set_log_level(HTS_LOG_OFF);
  const OutputFormat format = output_format(options.path);
  if (format == OutputFormat::bed || format == OutputFormat::bed_gz) {
    return std::make_unique<BedSink>(options, format, reference);
  }
  return std::make_unique<SamSink>(options, format, reference, md5s);
}

}  // namespace trawl::io
