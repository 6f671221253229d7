// A part of a reference that is read slice by slice. Where a contig goes on in the next chunk, that one begins with the
// last letters of this one again.
#pragma once

#include <cstdint>
#include <vector>

#include "sequence/reference.hpp"

namespace trawl::sequence {

/// A contig, or a part of one, in a chunk.
struct ContigSlice {
  std::uint64_t contig = 0;  // its number in the file, from 0
  std::uint64_t begin = 0;   // of the slice's first letter, in the contig
  std::uint64_t fresh = 0;   // of the first letter that no chunk before had, in the contig
  bool is_last = true;       // the contig ends with this slice
};

struct TextChunk {
  Reference reference;  // its contigs are the slices
  std::vector<ContigSlice> slices;
  std::uint64_t input_bytes = 0;  // of the (compressed) input, up to the end of this chunk
};

}  // namespace trawl::sequence
