#include "run/record_target.hpp"

#include <htslib/hts_log.h>

#include "base/error.hpp"
#include "io/write/record_sinks.hpp"
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
  if (options.sort && format != io::OutputFormat::bed && format != io::OutputFormat::bed_gz) {
    return std::make_unique<io::SortedSink>(options, format, reference, md5s);
  }
  return io::make_record_sink(options, format, reference, md5s);
}

}  // namespace trawl::run
