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

/// Which end of a part of a read is known before it is searched: where the part before it ends, or where the part
/// behind it begins.
enum class Anchor : std::uint8_t { start, end, both, none };

/// A part of a read that has a structure, in the direction of the structure.
struct PlacedPart {
  std::uint32_t begin = 0, end = 0;   // where it is if the parts beside it have no gaps
  std::uint32_t first = 0, last = 0;  // of a barcode: the letters among which it is searched
  Anchor anchor = Anchor::start;
  std::uint32_t pattern = kSearched;  // of a barcode: the one that is there without an edit, so that none is searched
  static constexpr std::uint32_t kSearched = ~std::uint32_t{0};
};

/// A read in which all linkers of the structure were found.
struct PlacedRead {
  std::uint32_t read = 0;   // in the batch
  bool reverse = false;     // its reverse complement has the structure
  std::uint32_t edits = 0;  // of the linkers
  std::uint32_t part = 0;   // the first of its parts in the chunk
};

struct TextChunk {
  Reference reference;  // its contigs are the slices
  std::vector<ContigSlice> slices;
  std::uint64_t input_bytes = 0;  // bytes of the (compressed) input up to the end of this chunk
  /// In a search in reads: all reads of the chunk. The first one is contig number `reads->first_read`; reads without
  /// letters have no slice.
  std::shared_ptr<const ReadBatch> reads = nullptr;
  /// In a search in reads that have a structure: part p is contig number first_part + p, if it is searched.
  std::vector<PlacedRead> placed = {};  // by read; of one read the forward direction first
  std::vector<PlacedPart> parts = {};
  std::uint64_t first_part = 0;

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
