// The pattern of an exact matcher, as a part of its table, and what most matchers do with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// The longest pattern of a matcher, in characters, unless its facts say less.
inline constexpr unsigned kLongestPattern = 4096;

/// The place of a character in a text.
using Index = std::uint64_t;

/// Let it be the last member of a table, with the name `pattern`: then only its used part is copied to the GPU.
struct Pattern {
  std::uint32_t m;                        // length
  std::uint8_t letters[kLongestPattern];  // 0 after the pattern

  void set(std::string_view pattern) {
    m = static_cast<std::uint32_t>(pattern.size());
    std::copy(pattern.begin(), pattern.end(), letters);
  }
  TRAWL_HOST_DEVICE std::uint8_t operator[](std::uint64_t i) const { return letters[i]; }
  std::size_t used_bytes() const { return offsetof(Pattern, letters) + m; }

  /// Whether the window at text position `window` has the pattern's characters [first, last). It compares from left to
  /// right; the window must lie in the text.
  TRAWL_HOST_DEVICE bool agrees(const auto& text, Index window, std::uint32_t first, std::uint32_t last) const {
    while (first < last && text[window + first] == letters[first]) {
      ++first;
    }
    return first == last;
  }
  /// Whether the pattern occurs at `window`.
  TRAWL_HOST_DEVICE bool occurs(const auto& text, Index window) const { return agrees(text, window, 0, m); }
};

/// "ACG" -> "GCA".
inline std::string reversed(std::string_view pattern) { return {pattern.rbegin(), pattern.rend()}; }

/// Reports the matches among all windows from `window` on that end before `end`. This is brute force; an algorithm that
/// reads characters after its window takes it for the last windows, since there is nothing to read after the text:
///
///   while (window + m < end) ...  // reads text[window + m]
///   compare_windows(table.pattern, text, window, end, emit);
TRAWL_HOST_DEVICE inline void compare_windows(const Pattern& pattern, const auto& text, Index window, Index end,
                                              auto&& emit) {
  const std::uint32_t m = pattern.m;
  for (; window + m <= end; ++window) {
    if (pattern.occurs(text, window)) {
      emit(window + m - 1);
    }
  }
}

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
