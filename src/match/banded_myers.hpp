// Myers' algorithm in a diagonal band (Hyyro 2003, section 5), row by row: one pattern character against the text
// positions of the band.
//
// The band has as many diagonals as a word has bits. In row i (pattern character i, counted from 0), bit b is the cell
// of text position begin + i + b. So with every row the word moves one text position to the right. Row -1 is all 0,
// because a match may begin anywhere. A cell outside the band is taken to be no better than a substitution along its
// diagonal. So no computed value is too small, and D is exact wherever a best alignment stays inside the band.
//
//   with: const std::vector<std::uint64_t> eq = {1, 1, 1, 0}          // ACGT on ACGA
//   BandState<std::uint64_t> state;
//   std::uint64_t distance = eq.size();
//   for (const std::uint64_t row : eq) {      // bit b of eq[i]: pattern[i] matches text[begin + i + b]
//     distance -= banded_row(PlainOps<std::uint64_t>{}, state, row).d0 & 1;
//   }
//   distance == 1                             // D of the cell in bit 0
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "match/word_ops.hpp"

namespace trawl::match {

#include "match/banded_myers.inc"

/// Calls visit(bit, distance) for the first `bits` cells of a row that have at most `most` edits. `distance`: D in bit
/// 0; `vp` and `vn`: as BandState after the row.
template <class Word, class Visit>
TRAWL_HOST_DEVICE inline void for_each_end(std::uint32_t distance, Word vp, Word vn, std::uint32_t bits,
                                           std::uint32_t most, const Visit& visit) {
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    if (distance <= most) {
      visit(bit, distance);
    }
    distance += static_cast<std::uint32_t>(vp >> bit) & 1;
    distance -= static_cast<std::uint32_t>(vn >> bit) & 1;
  }
}

}  // namespace trawl::match
