#include "session/map_session.hpp"

#include <htslib/hts_log.h>

#include "base/error.hpp"
#include "io/write/sort/sorted_sink.hpp"

namespace trawl::session {

std::unique_ptr<io::AlignmentSink> make_sink(const io::SinkOptions& options, const sequence::Reference& reference,
                                             const std::vector<std::string>& md5s) {
  // Errors are thrown with the file's name. htslib's own messages would report them a second time.
  hts_set_log_level(HTS_LOG_OFF);
  const io::OutputFormat format = io::output_format(options.path, options.format);
  if (io::needs_md5s(options) && md5s.size() != reference.contigs().size()) {
    throw Error("the checksums of the contigs are missing; please report this");
  }
  if (options.sort) {
    return io::make_sorted_sink(options, format, reference, md5s);
  }
  return io::make_record_sink(options, format, reference, md5s);
}

std::unique_ptr<io::RecordFormatter> make_formatter(const io::SinkOptions& options,
                                                    const sequence::Reference& reference) {
  return std::make_unique<io::RecordFormatter>(options, io::output_format(options.path, options.format), reference);
}

}  // namespace trawl::session
