#include "run/make_sink.hpp"

#include <htslib/hts_log.h>

#include "base/error.hpp"
#include "io/write/bam_sink.hpp"
#include "io/write/bed_sink.hpp"
#include "io/write/cram_sink.hpp"
#include "io/write/sam_sink.hpp"
#include "io/write/sort/sorted_sink.hpp"

namespace trawl::run {

std::unique_ptr<io::AlignmentSink> make_sink(const io::SinkOptions& options, const sequence::Reference& reference,
                                             const std::vector<std::string>& md5s) {
  // Errors are thrown with the file's name. htslib's own messages would report them a second time.
  hts_set_log_level(HTS_LOG_OFF);
  const io::OutputFormat format = io::output_format(options.path, options.format);
  if (options.is_owner() && io::needs_md5s(options) && md5s.size() != reference.contigs().size()) {
    throw Error("the checksums of the contigs are missing; please report this");
  }
  if (format == io::OutputFormat::bed || format == io::OutputFormat::bed_gz) {
    return std::make_unique<io::BedSink>(options, format, reference);
  }
  if (options.sort) {
    return std::make_unique<io::SortedSink>(options, format, reference, md5s);
  }
  if (format == io::OutputFormat::bam) {
    return std::make_unique<io::BamSink>(options, reference, md5s);
  }
  if (format == io::OutputFormat::cram) {
    return std::make_unique<io::CramSink>(options, reference, md5s);
  }
  return std::make_unique<io::SamSink>(options, reference, md5s);
}

}  // namespace trawl::run
