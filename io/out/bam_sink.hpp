// Writes BAM. The records are encoded and compressed by the threads that call format() and pack().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/out/alignment_sink.hpp"
#include "io/out/bgzf_output.hpp"

namespace trawl::io {

class BamSink : public AlignmentSink {
 public:
  BamSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s);

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override;
  std::unique_ptr<Chunk> make_chunk() const override;
  bool packs() const override { return true; }
  void place(Chunk& chunk) override;
  void pack(Chunk& chunk) const override;
  void write(Chunk& chunk) override;
  void close() override;

 private:
  const sequence::Reference& reference_;
  align::RecordRule rule_;
  std::string read_group_;
  BgzfOutput output_;
};

}  // namespace trawl::io
