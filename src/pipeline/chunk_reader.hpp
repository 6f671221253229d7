// The chunks of a reference, read ahead.
//
//   ChunkReader reader(chunks, true);
//   reader.start(size.bases());
//   while (const auto chunk = reader.take()) {
//     reader.start(size.bases());        // reads the next chunk while this one is searched
//     ...
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>

#include "io/read/chunk_source.hpp"
#include "sequence/contig_names.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::pipeline {

inline constexpr std::uint64_t kMostBases = std::uint64_t{1} << 25;
/// Fewer for reads: each takes memory besides its bases, and the text of the file is held.
inline constexpr std::uint64_t kMostReadBases = std::uint64_t{1} << 23;

/// How many bases a chunk has. With many ends, chunks become shorter, so that the ends do not fill the memory.
class ChunkSize {
 public:
  /// `most`: the most bases.
  explicit ChunkSize(std::size_t queries, std::uint64_t most = kMostBases);
  std::uint64_t bases() const { return bases_; }
  /// Call it after a chunk of `bases` bases that had `ends` ends.
  void learn(std::uint64_t bases, std::uint64_t ends);

 private:
  std::uint64_t most_;
  std::uint64_t bases_;
};

class ChunkReader {
 public:
  /// `ahead`: reads on another thread, which shares `chunks`.
  ChunkReader(std::shared_ptr<io::ChunkSource> chunks, bool ahead) : chunks_(std::move(chunks)), ahead_(ahead) {}

  /// Starts to read the next chunk. `bases`: the new size of chunks, if it changes.
  void start(std::optional<std::uint64_t> bases);
  /// The chunk that start() began to read; null at the end of the input. Throws what ChunkSource::next() throws.
  std::unique_ptr<sequence::TextChunk> take();

  /// Spent reading so far.
  double seconds() const { return seconds_; }

 private:
  struct ReadAhead {
    std::unique_ptr<sequence::TextChunk> chunk;
    double seconds = 0;
  };

  std::shared_ptr<io::ChunkSource> chunks_;
  bool ahead_;
  std::packaged_task<ReadAhead()> task_;
  std::future<ReadAhead> next_;
  double seconds_ = 0;
};

/// Enters the names of the chunk's contigs at their numbers. Names of reads of earlier chunks are forgotten: the
/// records of a chunk of reads are complete when it is searched.
void add_contig_names(const sequence::TextChunk& chunk, sequence::ContigNames& names);

}  // namespace trawl::pipeline
