// A part of a reference that is read part by part. If a contig continues in the next chunk, that chunk begins by
// repeating the last letters of this one.
//
//   with: Reference reference = reference_of("ACGTACGTACGT")
//   const TextChunk chunk{std::move(reference), {{.contig = 0, .begin = 90, .fresh = 94}}};   // repeats 4 letters
//   chunk.fresh_bases() == 8
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::sequence {

/// A contig, or a part of one, in a chunk.
struct ContigSlice {
  std::uint64_t contig = 0;  // the contig's number in the file, from 0
  std::uint64_t begin = 0;   // position of the slice's first letter in the contig
  std::uint64_t fresh = 0;   // position in the contig of the first letter that was not in an earlier chunk
  bool is_last = true;       // the contig ends with this slice
};

struct TextChunk {
  Reference reference;  // its contigs are the slices
  std::vector<ContigSlice> slices;
  std::uint64_t input_bytes = 0;  // bytes of the (compressed) input up to the end of this chunk
  /// In a search in reads: all reads of the chunk. The first one is contig number `reads->first_read`; reads without
  /// letters have no slice.
  std::shared_ptr<const ReadBatch> reads = nullptr;

  /// The number of letters that were not in an earlier chunk.
  std::uint64_t fresh_bases() const {
    std::uint64_t bases = reference.bases();
    for (const ContigSlice& slice : slices) {
      bases -= slice.fresh - slice.begin;
    }
    return bases;
  }
};

}  // namespace trawl::sequence
