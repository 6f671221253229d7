// Writes CRAM with htslib.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   CramSink sink({.path = "out.cram"}, reference, md5s);     // is used as any AlignmentSink
//   sink.close();                                             // now out.cram exists
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/cram_file.hpp"
#include "io/write/output_file.hpp"

namespace trawl::io {

class CramSink : public AlignmentSink {
 public:
  CramSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s);

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override;
  std::unique_ptr<Chunk> make_chunk() const override;
  void write(Chunk& chunk) override;
  void close() override;
  void append_parcel(Chunk& chunk, std::string& parcel) const override;
  void write_parcel(std::string_view parcel) override;

 private:
  const sequence::Reference& reference_;
  align::RecordRule rule_;
  std::string read_group_;
  std::optional<OutputFile> file_;  // of the process that writes
  std::optional<CramFile> cram_;
};

}  // namespace trawl::io
