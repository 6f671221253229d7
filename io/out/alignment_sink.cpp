#include "io/out/alignment_sink.hpp"

#include <htslib/hts_log.h>

#include <utility>

#include "base/error.hpp"
#include "io/out/bam_sink.hpp"
#include "io/out/bed_sink.hpp"
#include "io/out/cram_sink.hpp"
#include "io/out/divet_sink.hpp"
#include "io/out/file_format.hpp"
#include "io/out/oea_sink.hpp"
#include "io/out/sam_sink.hpp"
#include "io/out/sink_group.hpp"
#include "io/out/sorted_sink.hpp"

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
      throw UsageError("--output-format is another one than that of " + path + "; leave it out, or name another file");
    }
  }
  return *given;
}

bool needs_md5s(const SinkOptions& options) {
  const OutputFormat format = output_format(options.path, options.format);
  return (format != OutputFormat::bed && format != OutputFormat::bed_gz) || !options.oea_path.empty();
}

std::unique_ptr<AlignmentSink> make_sink(const SinkOptions& options, const sequence::Reference& reference,
                                         const std::vector<std::string>& md5s) {
  // Errors are thrown with the file's name. htslib's own messages would report them a second time.
  hts_set_log_level(HTS_LOG_OFF);
  const OutputFormat format = output_format(options.path, options.format);
  if (options.is_owner() && needs_md5s(options) && md5s.size() != reference.contigs().size()) {
    throw Error("the checksums of the contigs are missing; please report this");
  }
  const bool is_bed = format == OutputFormat::bed || format == OutputFormat::bed_gz;
  // The main output is closed first: compressed ones still write then, which may fail. The others are only renamed.
  std::vector<std::unique_ptr<AlignmentSink>> sinks;
  if (is_bed) {
    sinks.push_back(std::make_unique<BedSink>(options, format, reference));
  } else if (options.sort) {
    sinks.push_back(std::make_unique<SortedSink>(options, format, reference, md5s));
  } else if (format == OutputFormat::bam) {
    sinks.push_back(std::make_unique<BamSink>(options, reference, md5s));
  } else if (format == OutputFormat::cram) {
    sinks.push_back(std::make_unique<CramSink>(options, reference, md5s));
  } else {
    sinks.push_back(std::make_unique<SamSink>(options, reference, md5s));
  }
  if (!options.divet_path.empty()) {
    sinks.push_back(std::make_unique<DivetSink>(options, reference));
  }
  if (!options.oea_path.empty()) {
    sinks.push_back(std::make_unique<OeaSink>(options, reference, md5s));
  }
  if (sinks.size() == 1) {
    return std::move(sinks.front());
  }
  return std::make_unique<SinkGroup>(std::move(sinks));
}

}  // namespace trawl::io
