// A reference of any size, read chunk by chunk.
//
//   FastaChunks chunks("genome.fa", {.bases = 1 << 25, .overlap = 100});
//   sequence::TextChunk chunk;
//   while (chunks.next(chunk)) { ... }
//   chunks.contigs()      // complete at the end
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/in/fasta_parser.hpp"
#include "sequence/text_chunk.hpp"

struct hts_md5_context;

namespace trawl::io {

struct ChunkOptions {
  std::uint64_t bases = std::uint64_t{1} << 25;  // of a chunk, without the overlap
  std::uint64_t overlap = 0;                     // bases of a contig that its next chunk repeats
  bool with_md5 = false;
};

class FastaChunks {
 public:
  FastaChunks(const std::string& path, const ChunkOptions& options);
  ~FastaChunks();

  /// False at the end. Throws InputError or IoError, like FastaParser.
  bool next(sequence::TextChunk& chunk);

  /// Sets ChunkOptions::bases for the next chunks.
  void set_bases(std::uint64_t bases) { options_.bases = bases; }

  /// The contigs that have begun in the chunks so far. The length of the last one is known once its last slice was
  /// given. Their offsets have no meaning.
  const std::vector<sequence::Contig>& contigs() const { return contigs_; }
  /// With `with_md5`: the MD5 of each contig's letters in upper case (SAM: M5). Complete at the end.
  const std::vector<std::string>& md5s() const { return md5s_; }
  /// See FastaParser::warning().
  std::string warning() const { return parser_.warning(); }

 private:
  class Collector;

  bool fill_pending();
  void begin_piece(sequence::ReferenceBuilder& builder, sequence::TextChunk& chunk);
  std::uint64_t add_letters(sequence::ReferenceBuilder& builder, std::uint64_t room);
  void close_contig();

  FastaParser parser_;
  ChunkOptions options_;
  std::unique_ptr<Collector> collector_;
  std::vector<sequence::Contig> contigs_;
  std::vector<std::string> md5s_;
  std::unique_ptr<hts_md5_context, void (*)(hts_md5_context*)> md5_;
  std::string tail_;   // the last letters of the current contig
  bool open_ = false;  // the last contig may continue
};

}  // namespace trawl::io
