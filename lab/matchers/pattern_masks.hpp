// The masks of a pattern over any byte alphabet. The mask of a character marks the pattern positions that do not match
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace trawl::matchers {

/// masks[c] has bit i = 0 if pattern[i] == c. All other bits are 1, also those above the pattern. The pattern must not
/// have more characters than a Word has bits.
template <class Word>
void fill_pattern_masks(std::string_view pattern, Word (&masks)[256]) {
  std::fill(masks, masks + 256, static_cast<Word>(~Word{0}));
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    Word& mask = masks[static_cast<unsigned char>(pattern[i])];
    mask = static_cast<Word>(mask & ~static_cast<Word>(Word{1} << i));
  }
}

}  // namespace trawl::matchers
