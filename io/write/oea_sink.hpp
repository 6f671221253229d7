// One-end-anchored pairs, as mrFAST writes them for NovelSeq: SAM with the records of the mapped mates. Two tags hold
// the unmapped mate as it is in the input: NS its bases, NQ its qualities.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   OeaSink sink({.oea_path = "oea.sam"}, reference, md5s);     // is used as any AlignmentSink
//   sink.close();                                               // now oea.sam exists
//
//   pair7  73  chr1  5000  37  100M  =  5000  0  ACG...  III...  NM:i:0 ... NS:Z:TTG...  NQ:Z:FFF...
//
// The records are those of the main output, with the supplementary ones. mrFAST, too, writes at most kMostOeaLoci
// records of a pair, but then leaves out a pair that has as many.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/write/sam_header.hpp"
#include "io/write/text_sink.hpp"

namespace trawl::io {

inline constexpr std::uint32_t kMostOeaLoci = 100;

class OeaSink : public TextSink {
 public:
  /// Writes to options.oea_path. Throws IoError.
  OeaSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s);

 private:
  void append(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              std::string& text) const override;

  const sequence::Reference& reference_;
  std::string read_group_;
  align::RecordRule rule_;
};

}  // namespace trawl::io
