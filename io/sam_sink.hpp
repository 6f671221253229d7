// SAM, BAM and CRAM, through htslib.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/alignment_sink.hpp"
#include "io/cram_reference.hpp"
#include "io/output_file.hpp"
#include "io/sam_header.hpp"

struct hFILE;
struct htsFile;
struct sam_hdr_t;

namespace trawl::io {

class SamSink : public AlignmentSink {
 public:
  SamSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
          const std::vector<std::string>& md5s);
  ~SamSink() override;

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const map::AlignmentBatch& alignments, Chunk& chunk) const override;
  std::unique_ptr<Chunk> make_chunk() const override;
  void write(Chunk& chunk) override;
  void close() override;

 private:
  void open_binary(const SinkOptions& options, const sequence::Reference& reference);
  [[noreturn]] void fail() const;

  const sequence::Reference& reference_;
  OutputFormat format_;
  bool keep_unmapped_;
  ReadGroup group_;
  std::string header_text_;
  OutputFile file_;
  std::unique_ptr<CramReference> cram_reference_;
  sam_hdr_t* header_ = nullptr;
  htsFile* binary_ = nullptr;  // BAM and CRAM; SAM is written as text
  hFILE* stream_ = nullptr;    // of binary_
};

}  // namespace trawl::io
