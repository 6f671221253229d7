// Wu-Manber (1992) by columns: matching with up to K edits, K + 1 words of state, one text position at a time.
// Bit i of level d is 0 where the first i + 1 pattern characters match with at most d edits, ending at the current
// text position. Complemented form, as Shift-Or: with R the old and R' the new column,
//   R'_0 = (R_0 << 1) | mask
//   R'_d = ((R_d << 1) | mask) & R_{d-1} & (R_{d-1} << 1) & (R'_{d-1} << 1)       d = 1..K
//           match                insertion  substitution       deletion            (in the text)
#pragma once

#include "base/host_device.hpp"

namespace trawl::matchers {

template <class Word>
struct WuManber {
  /// The column before the first text position: level d has its first d bits 0 (d pattern characters deleted).
  TRAWL_HOST_DEVICE static constexpr void start(Word* levels, unsigned max_edits) {
    levels[0] = static_cast<Word>(~Word{0});
    for (unsigned d = 1; d <= max_edits; ++d) {
      levels[d] = static_cast<Word>(levels[d - 1] << 1);
    }
  }

  /// One text position. `mask` has bit i = 0 where pattern character i matches it.
  TRAWL_HOST_DEVICE static constexpr void step(Word* levels, unsigned max_edits, Word mask) {
    Word before = levels[0];
    levels[0] = static_cast<Word>(static_cast<Word>(before << 1) | mask);
    for (unsigned d = 1; d <= max_edits; ++d) {
      const Word old = levels[d];
      levels[d] = static_cast<Word>((static_cast<Word>(old << 1) | mask) & before & static_cast<Word>(before << 1) &
                                    static_cast<Word>(levels[d - 1] << 1));
      before = old;
    }
  }

  /// The smallest d with a match that ends here, or max_edits + 1. `m`: pattern length, 1 to the bits of a word.
  TRAWL_HOST_DEVICE static constexpr unsigned distance(const Word* levels, unsigned max_edits, unsigned m) {
    for (unsigned d = 0; d <= max_edits; ++d) {
      if (((levels[d] >> (m - 1)) & 1) == 0) {
        return d;
      }
    }
    return max_edits + 1;
  }
};

}  // namespace trawl::matchers
