// Writes SAM.
#pragma once

#include <string>
#include <vector>

#include "io/write/text_sink.hpp"

namespace trawl::io {

class SamSink : public TextSink {
 public:
  SamSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s);

 private:
  void append(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              std::string& text) const override;

  const sequence::Reference& reference_;
  align::RecordRule rule_;
  std::string read_group_;
};

}  // namespace trawl::io
