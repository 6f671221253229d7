// BED: contig, start, end, name, score (MAPQ), strand, edit distance, CIGAR. Reads without a locus have no line.
// The names of mates end with /1 and /2.
//
//   chr1    999    1099    read1    60    +    2    40M1D60M
#pragma once

#include <memory>
#include <string>

#include "io/out/alignment_sink.hpp"
#include "io/out/text_output.hpp"

namespace trawl::io {

class BedSink : public AlignmentSink {
 public:
  BedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference);

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override;
  std::unique_ptr<Chunk> make_chunk() const override;
  void write(Chunk& chunk) override;
  void close() override;

 private:
  const sequence::Reference& reference_;
  TextOutput output_;
};

}  // namespace trawl::io
