// The good suffix rule of Boyer and Moore 1977: how far a window may move so that the part of the text that has matched
// a suffix of the pattern meets the same characters again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "matchers/pattern.hpp"

namespace trawl::matchers {

/// One value for each position of a pattern.
using PositionValues = std::uint16_t[kLongestPattern];

/// lengths[i] = the length of the longest common suffix of pattern[0, i] and the pattern. For "abcab": 0 2 0 0 5.
inline void fill_suffix_lengths(std::string_view pattern, PositionValues& lengths) {
  const int m = static_cast<int>(pattern.size());
  const auto letter = [&](int i) { return pattern[static_cast<std::size_t>(i)]; };
  // pattern[reach + 1, from] is a suffix of the pattern, with the smallest reach so far.
  int reach = m - 1, from = m - 1;
  lengths[m - 1] = static_cast<std::uint16_t>(m);
  for (int i = m - 2; i >= 0; --i) {
    const int known = i > reach ? lengths[m - 1 - (from - i)] : 0;
    if (i > reach && known < i - reach) {
      lengths[i] = static_cast<std::uint16_t>(known);
      continue;
    }
    reach = std::min(reach, i);
    from = i;
    while (reach >= 0 && letter(reach) == letter(reach + m - 1 - from)) {
      --reach;
    }
    lengths[i] = static_cast<std::uint16_t>(from - reach);
  }
}

/// shifts[i] = m - the length of the longest border of the pattern that has at most m - 1 - i characters: the shift if
/// pattern(i, m) has matched and does not occur again. For "abcab": 3 3 3 5 5. `lengths`: fill_suffix_lengths().
inline void fill_border_shifts(const PositionValues& lengths, std::size_t m, PositionValues& shifts) {
  std::size_t i = 0;
  for (std::size_t border = m - 1; border > 0; --border) {
    if (lengths[border - 1] == border) {
      for (; i + border < m; ++i) {
        shifts[i] = static_cast<std::uint16_t>(m - border);
      }
    }
  }
  std::fill(shifts + i, shifts + m, static_cast<std::uint16_t>(m));
}

/// shifts[i] = the shift if pattern(i, m) has matched and the character at i has not: to the next place where the same
/// suffix follows another character (the strong rule). For "abcab": 3 3 3 5 1. shifts[0] is also the period of the
/// pattern, the shift after a match.
inline void fill_good_suffix_shifts(std::string_view pattern, PositionValues& shifts) {
  const std::size_t m = pattern.size();
  PositionValues lengths;
  fill_suffix_lengths(pattern, lengths);
  fill_border_shifts(lengths, m, shifts);
  for (std::size_t i = 0; i + 1 < m; ++i) {
    shifts[m - 1 - lengths[i]] = static_cast<std::uint16_t>(m - 1 - i);
  }
}

}  // namespace trawl::matchers
