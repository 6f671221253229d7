#include "io/write/oea_sink.hpp"

#include <algorithm>

#include "io/write/sam_text.hpp"

namespace trawl::io {

OeaSink::OeaSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s)
    : TextSink(options.oea_name(), std::nullopt),
      reference_(reference),
      read_group_(parse_read_group(options.read_group).id),
      rule_(options) {
  if (options.is_owner()) {
    write_header(sam_header(options, reference.contigs(), md5s));
  }
}

void OeaSink::append(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                     std::string& text) const {
  SamText lines(text, reference_, read_group_, reads, alignments);
  std::string tags;
  for (std::size_t i = 0; i < alignments.pairs.size(); ++i) {
    if (alignments.pairs[i].kind != align::PairKind::one_end) {
      continue;
    }
    align::for_each_record_of_pair(alignments, i, rule_, [&](const align::Record& record) {
      if (!record.alignment || record.k >= kMostOeaLoci) {
        return;
      }
      if (record.k == 0) {
        const std::size_t mate = record.read ^ 1;
        tags = "\tNS:Z:";
        tags += reads.bases(mate);
        std::replace(tags.begin(), tags.end(), 'U', 'T');  // as in SEQ
        if (!reads.qualities(mate).empty()) {
          tags += "\tNQ:Z:";
          tags += reads.qualities(mate);
        }
      }
      lines.append(record, tags);
    });
  }
}

}  // namespace trawl::io
