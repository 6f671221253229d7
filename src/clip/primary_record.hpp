// The primary records of a batch, and the bases that they leave out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "align/alignment.hpp"

namespace trawl::clip {

/// The primary alignment of read r; null if it has none. `Batch`: align::AlignmentBatch, const or not.
template <class Batch>
auto primary_of(Batch& results, std::size_t r) -> decltype(results.alignments.data()) {
  if (!results.pairs.empty() && results.pairs[r / 2].count > 0) {
    return &results.alignments[results.concordant_pairs[results.pairs[r / 2].first].mates[r % 2]];
  }
  const align::ReadResult& result = results.reads[r];
  return result.count > 0 ? &results.alignments[result.first] : nullptr;
}

/// The bases that an element of a CIGAR leaves out.
inline std::uint32_t clipped_bases(std::uint32_t element) {
  return (element & 15u) == static_cast<std::uint32_t>(align::CigarOp::soft_clip) ? element >> 4 : 0;
}

/// The bases left out before and after an alignment, in the order of its strand.
struct ClippedEnds {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};
inline ClippedEnds clipped_ends(const align::AlignmentBatch& results, const align::Alignment& alignment) {
  const std::uint32_t* const cigar = results.cigar_of(alignment);
  return {clipped_bases(cigar[0]), clipped_bases(cigar[alignment.cigar_length - 1])};
}

}  // namespace trawl::clip
