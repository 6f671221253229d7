// Writes SAM, BAM and CRAM with htslib.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/out/alignment_sink.hpp"
#include "io/out/cram_reference.hpp"
#include "io/out/htslib_files.hpp"
#include "io/out/output_file.hpp"
#include "io/out/sam_header.hpp"

namespace trawl::io {

class SamSink : public AlignmentSink {
 public:
  SamSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
          const std::vector<std::string>& md5s);

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override;
  std::unique_ptr<Chunk> make_chunk() const override;
  void write(Chunk& chunk) override;
  void close() override;

 private:
  void open_binary(const SinkOptions& options, const sequence::Reference& reference);
  [[noreturn]] void fail() const;

  const sequence::Reference& reference_;
  OutputFormat format_;
  align::RecordRule rule_;
  ReadGroup group_;
  std::string header_text_;
  OutputFile file_;
  std::unique_ptr<CramReference> cram_reference_;
  std::unique_ptr<sam_hdr_t, HtslibCloser> header_;
  std::unique_ptr<htsFile, HtslibCloser> binary_;  // BAM and CRAM; SAM is written as text
  hFILE* stream_ = nullptr;                        // of binary_
};

}  // namespace trawl::io
