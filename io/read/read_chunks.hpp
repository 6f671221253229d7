// Reads, chunk by chunk, for a search of patterns in them. A chunk has whole reads only: each is a contig. Of pairs,
// the first mates are searched.
//
//   ReadChunks chunks(std::make_unique<ReadInput>(ReadInput::Files{.reads = {"reads.fq.gz"}}), {});
//   sequence::TextChunk chunk;
//   while (chunks.next(chunk)) { ... }      // chunk.reads->name(0), chunk.reference.contigs()[0]
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "io/read/chunk_source.hpp"
#include "io/read/read_input.hpp"
#include "io/read/reference_files.hpp"
#include "scan/exact_barcodes.hpp"
#include "scan/options.hpp"
#include "scan/read_structure.hpp"

namespace trawl::io {

/// Which parts of a read are searched: its first and its last bases. Neither: all of it. If they touch, they are one
/// part.
struct ReadEnds {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// Only the barcodes of reads are searched, where a structure has them.
struct StructureSearch {
  scan::ReadStructure structure;  // of both mates, if there are pairs
  std::uint32_t max_edits = 0;    // with gaps, that a barcode may have
  scan::Strands strands = scan::Strands::forward;
  std::shared_ptr<const std::vector<scan::ExactBarcodes>> exact = nullptr;  // by barcode; null: all are searched
};

struct ReadChunkOptions {
  std::uint64_t bases = std::uint64_t{1} << 25;  // a chunk ends with the read that gives it this many, or more
  std::uint64_t gap = sequence::kContigGap;      // see sequence::pack_texts()
  ReadEnds within = {};
  std::optional<StructureSearch> structure = {};
  std::shared_ptr<ContigFiles> files = nullptr;  // gets which read is from which file
};

class ReadChunks final : public ChunkSource {
 public:
  ReadChunks(std::unique_ptr<ReadInput> input, const ReadChunkOptions& options)
      : input_(std::move(input)), options_(options) {}

  /// The first error in the order of the input is thrown, as by ReadInput.
  bool next(sequence::TextChunk& chunk) override;
  void set_bases(std::uint64_t bases) override { options_.bases = bases; }

 private:
  void record_files(const sequence::ReadBatch& reads);

  std::unique_ptr<ReadInput> input_;
  ReadChunkOptions options_;
  std::uint64_t reads_ = 0;  // in all chunks so far
  std::uint64_t parts_ = 0;
  std::optional<std::uint32_t> file_;  // of the latest read
  std::optional<bool> is_fastq_;       // the first read with letters has qualities
};

}  // namespace trawl::io
