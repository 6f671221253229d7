// Gives what is searched, chunk by chunk: a reference (fasta_chunks.hpp) or reads (read_chunks.hpp).
//
//   with: ChunkSource& chunks
//   sequence::TextChunk chunk;
//   while (chunks.next(chunk)) { ... }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sequence/reference.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::io {

class ChunkSource {
 public:
  virtual ~ChunkSource() = default;

  /// False at the end. Throws InputError, IoError.
  virtual bool next(sequence::TextChunk& chunk) = 0;
  /// About how many bases the next chunks have.
  virtual void set_bases(std::uint64_t bases) = 0;

  /// The contigs of a reference that have begun in the chunks so far. The length of the last one is known once its last
  /// slice was given. Their offsets have no meaning. Reads have none.
  virtual const std::vector<sequence::Contig>& contigs() const {
    static const std::vector<sequence::Contig> none;
    return none;
  }
  /// The MD5 of each contig, if it was asked for (SAM: M5). Complete at the end.
  virtual const std::vector<std::string>& md5s() const {
    static const std::vector<std::string> none;
    return none;
  }
  /// At the end: one line about what was left out; "" if nothing was.
  virtual std::string warning() const { return ""; }
};

}  // namespace trawl::io
