// The best alignment of a read in a band of diagonals, where a gap is one event: a match counts 1, a mismatch -4, and a
// gap of n bases -6 - n (Gotoh, J. Mol. Biol. 162, 1982; with bands). It begins and ends with a base on a diagonal.
//
//   const std::uint8_t read[] = {1, 2, 4, 8}, text[] = {1, 2, 4, 8, 8};     // ACGT, ACGTT
//   AffineBand band;
//   band.align(read, text).score == 4
//
//   by edits    92M1D1M1D57M    2 gaps               150 - 7 - 7 = 136
//   here        91M2D59M        1 gap, 1 mismatch    149 - 4 - 8 = 137
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/aligner.hpp"

namespace trawl::clip {

class AffineBand {
 public:
  static constexpr std::int32_t kMatch = 1;
  static constexpr std::int32_t kMismatch = -4;
  static constexpr std::int32_t kGapOpening = 6;  // beside 1 for each base

  struct Best {
    std::int32_t score = 0;
    std::size_t start = 0;  // where in the text its first base lies
    std::vector<align::AlignedRun> runs;
  };

  /// `read` and `text`: sets of bases (bit 0 = A .. bit 3 = T); two match if they share one. Base i may lie at the
  /// positions i .. i + text.size() - read.size(). `read` has a base or more, and no more than `text`. Of equal
  /// alignments the one that ends first, then the one whose last gap is leftmost; a deletion goes before an insertion.
  /// Takes O(|read| (|text| - |read| + 1)) time. Valid until the next call.
  const Best& align(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text);

 private:
  // The last step of an alignment; of a cell, the best score of each.
  enum Step : std::uint8_t { diagonal, deletion, insertion };
  using Scores = std::array<std::int32_t, 3>;

  std::vector<Scores> before_, here_;
  std::vector<std::array<std::uint8_t, 3>> from_;  // the step before, of each cell and last step
  Best best_;
};

}  // namespace trawl::clip
