// The masks of a pattern over any byte alphabet: for each character, the pattern positions that it does not match.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace trawl::matchers {

/// masks[c] has bit i = 0 where pattern[i] == c; all other bits, those above the pattern too, are 1. The pattern has at
/// most as many characters as a Word has bits.
template <class Word>
void fill_pattern_masks(std::string_view pattern, Word (&masks)[256]) {
  std::fill(masks, masks + 256, static_cast<Word>(~Word{0}));
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    Word& mask = masks[static_cast<unsigned char>(pattern[i])];
    mask = static_cast<Word>(mask & ~static_cast<Word>(Word{1} << i));
  }
}

}  // namespace trawl::matchers
