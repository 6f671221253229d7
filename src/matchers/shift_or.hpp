// Shift-Or (Baeza-Yates and Gonnet 1992): exact matching, one word of state, one column (text position) at a time.
// Bit i of the state is 0 where the first i + 1 pattern characters match, ending at the current text position.
//
//   auto state = ShiftOr<std::uint64_t>::start();
//   for each text character c:  state = ShiftOr<std::uint64_t>::step(state, mask[c]);
//                               if (ShiftOr<std::uint64_t>::matches(state, m)) ...  // an occurrence ends here
//
// mask[c] has bit i = 0 where pattern character i matches c.
#pragma once

#include "base/host_device.hpp"

namespace trawl::matchers {

template <class Word>
struct ShiftOr {
  TRAWL_HOST_DEVICE static constexpr Word start() { return static_cast<Word>(~Word{0}); }

  TRAWL_HOST_DEVICE static constexpr Word step(Word state, Word mask) {
    return static_cast<Word>(static_cast<Word>(state << 1) | mask);
  }

  /// `m`: pattern length, from 1 to the bits of a word.
  TRAWL_HOST_DEVICE static constexpr bool matches(Word state, unsigned m) { return ((state >> (m - 1)) & 1) == 0; }
};

}  // namespace trawl::matchers
