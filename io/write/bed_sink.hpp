// BED: contig, start, end, name, score (MAPQ), strand, edit distance, CIGAR. Reads without a locus have no line.
// The names of mates end with /1 and /2. The pieces of a split read have a line each; CIGARs have S for clipped ends.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   BedSink sink({.path = "out.bed"}, OutputFormat::bed, reference);     // is used as any AlignmentSink
//   sink.close();                                                        // now out.bed exists
//
//   chr1    999    1099    read1    60    +    2    40M1D60M
#pragma once

#include <string>

#include "io/write/text_sink.hpp"

namespace trawl::io {

class BedSink : public TextSink {
 public:
  BedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference);

 private:
  void append(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              std::string& text) const override;

  const sequence::Reference& reference_;
};

}  // namespace trawl::io
