// Writes SAM.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   SamSink sink({.path = "out.sam"}, reference, md5s);     // is used as any AlignmentSink
//   sink.close();                                           // now out.sam exists
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
