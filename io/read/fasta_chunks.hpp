// A reference of any size, read chunk by chunk.
//
//   FastaChunks chunks("genome.fa", {.bases = 1 << 25, .overlap = 100}, {.threads = 8});
//   sequence::TextChunk chunk;
//   while (chunks.next(chunk)) { ... }
//   chunks.contigs().size() == 2        // complete at the end
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/read/chunk_source.hpp"
#include "io/read/fasta_stream.hpp"
#include "io/read/letter_md5.hpp"
#include "sequence/reference_assembler.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::io {

struct ChunkOptions {
  std::uint64_t bases = std::uint64_t{1} << 25;  // of a chunk, without the overlap
  std::uint64_t overlap = 0;                     // bases of a contig that its next chunk repeats
  bool with_md5 = false;
};

class FastaChunks final : public ChunkSource {
 public:
  FastaChunks(const std::string& path, const ChunkOptions& options, const TextOptions& reading = {});
  /// Chunks of what is not a FASTA, for example a saved index.
  FastaChunks(std::unique_ptr<ContigSource> source, const ChunkOptions& options, unsigned threads);

  /// Throws InputError or IoError, like FastaStream.
  bool next(sequence::TextChunk& chunk) override;
  /// Sets ChunkOptions::bases for the next chunks.
  void set_bases(std::uint64_t bases) override { options_.bases = bases; }
  const std::vector<sequence::Contig>& contigs() const override { return contigs_; }
  /// With `with_md5`: of each contig's letters in upper case.
  const std::vector<std::string>& md5s() const override { return md5s_; }
  std::string warning() const override { return source_->warning(); }

 private:
  bool fill_pending();
  void begin_piece(sequence::ReferenceAssembler& assembler, sequence::TextChunk& chunk);
  std::uint64_t add_letters(sequence::ReferenceAssembler& assembler, std::uint64_t room);
  void add_md5s(const sequence::TextChunk& chunk);
  void keep_tail(const sequence::TextChunk& chunk);

  ChunkOptions options_;
  unsigned threads_;
  std::unique_ptr<ContigSource> source_;
  std::optional<ContigPiece> pending_;  // the letters that no chunk has yet
  bool is_at_end_ = false;
  std::vector<sequence::Contig> contigs_;
  std::vector<std::string> md5s_;
  std::unique_ptr<LetterMd5> md5_;
  std::shared_ptr<const sequence::PackedLetters> tail_;  // the last letters of the current contig
};

}  // namespace trawl::io
