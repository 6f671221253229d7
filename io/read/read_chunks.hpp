// Reads, chunk by chunk, for a search of patterns in them. A chunk has whole reads only: each is a contig.
//
//   ReadChunks chunks(std::make_unique<ReadSource>(std::vector<std::string>{"reads.fq.gz"}), {});
//   sequence::TextChunk chunk;
//   while (chunks.next(chunk)) { ... }      // chunk.reads->name(0), chunk.reference.contigs()[0]
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/read/chunk_source.hpp"
#include "io/read/read_source.hpp"
#include "io/read/reference_files.hpp"

namespace trawl::io {

/// Which parts of a read are searched: its first and its last bases. Neither: all of it. If they touch, they are one
/// part.
struct ReadEnds {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

struct ReadChunkOptions {
  std::uint64_t bases = std::uint64_t{1} << 25;  // a chunk ends with the read that gives it this many, or more
  std::uint64_t gap = sequence::kContigGap;      // see sequence::pack_texts()
  ReadEnds within = {};
  bool with_comments = false;                    // ReadBatch::comment() has all that follows a name
  std::shared_ptr<ContigFiles> files = nullptr;  // gets which read is from which file
};

class ReadChunks final : public ChunkSource {
 public:
  ReadChunks(std::unique_ptr<ReadSource> source, const ReadChunkOptions& options);

  /// The first error in the order of the input is thrown, as by ReadSource.
  bool next(sequence::TextChunk& chunk) override;
  void set_bases(std::uint64_t bases) override { options_.bases = bases; }

 private:
  void check(sequence::ReadBatch& reads) const;
  void record_files(const sequence::ReadBatch& reads);

  std::unique_ptr<ReadSource> source_;
  ReadChunkOptions options_;
  std::optional<std::uint32_t> file_;  // of the latest read
  std::optional<bool> is_fastq_;       // the first read with letters has qualities
};

}  // namespace trawl::io
