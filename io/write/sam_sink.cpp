#include "io/write/sam_sink.hpp"

#include "io/write/sam_header.hpp"
#include "io/write/sam_text.hpp"

namespace trawl::io {

SamSink::SamSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s)
    : TextSink(options.output_name(), std::nullopt),
      reference_(reference),
      rule_(options),
      read_group_(parse_read_group(options.read_group).id) {
  if (options.is_owner()) {
    write_header(sam_header(options, reference.contigs(), md5s));
  }
}

void SamSink::append(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                     std::string& text) const {
  SamText(text, reference_, read_group_, reads, alignments).append_all(rule_);
}

}  // namespace trawl::io
