#include "io/write/alignment_sink.hpp"

#include "base/error.hpp"
#include "io/format/file_format.hpp"

namespace trawl::io {

OutputFormat output_format(const std::string& path, std::optional<OutputFormat> given) {
  constexpr OutputFormat formats[] = {OutputFormat::sam, OutputFormat::bam, OutputFormat::cram, OutputFormat::bed,
                                      OutputFormat::bed_gz};
  const std::initializer_list<std::string_view> extensions = {".sam", ".bam", ".cram", ".bed", ".bed.gz"};
  if (!given || path.empty()) {
    const auto extension = extension_of(path, extensions, "SAM");
    return extension ? formats[*extension] : OutputFormat::sam;
  }
  for (std::size_t i = 0; i < extensions.size(); ++i) {
    if (formats[i] != *given && has_extension(path, extensions.begin()[i])) {
      throw UsageError("--output-format is not the format of " + path + "; leave it out, or name another file");
    }
  }
  return *given;
}

bool needs_md5s(const SinkOptions& options) {
  const OutputFormat format = output_format(options.path, options.format);
  return format != OutputFormat::bed && format != OutputFormat::bed_gz;
}

}  // namespace trawl::io
