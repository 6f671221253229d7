// The borders of a pattern's prefixes: the failure functions of Morris and Pratt 1970 and of Knuth, Morris and Pratt
// 1977. A border of a string is a shorter string that it both begins and ends with: "aba" is a border of "ababa".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// For each prefix of a pattern a length of a border, or -1.
using Borders = std::int16_t[kLongestPattern + 1];

/// borders[i] = the length of the longest border of pattern[0, i), for 0 < i <= m; borders[0] = -1.
/// For "abab": -1 0 0 1 2. The period of the pattern is m - borders[m].
inline void fill_borders(std::string_view pattern, Borders& borders) {
  borders[0] = -1;
  int border = -1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    while (border >= 0 && pattern[i] != pattern[static_cast<std::size_t>(border)]) {
      border = borders[border];
    }
    borders[i + 1] = static_cast<std::int16_t>(++border);
  }
}

/// borders[i] = the length b of the longest border of pattern[0, i) with pattern[b] != pattern[i], or -1 if there is
/// none; borders[m] is the longest border of the pattern. For "abab": -1 0 -1 0 2.
///
///   while (i >= 0 && pattern[i] != c) i = borders[i];  // c cannot extend pattern[0, i): try shorter ones
///   ++i;                                               // the text up to c ends with pattern[0, i)
inline void fill_strict_borders(std::string_view pattern, Borders& borders) {
  borders[0] = -1;
  int border = -1;  // the longest border of pattern[0, i)
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto after = [&](int length) { return pattern[static_cast<std::size_t>(length)]; };
    borders[i] = static_cast<std::int16_t>(border >= 0 && after(border) == pattern[i] ? borders[border] : border);
    while (border >= 0 && after(border) != pattern[i]) {
      border = borders[border];
    }
    ++border;
  }
  borders[pattern.size()] = static_cast<std::int16_t>(border);
}

/// periods[i] = the shortest period of the pattern that is longer than i, for i < m. For "ababa": 2 2 4 4 5.
inline void fill_next_periods(std::string_view pattern, std::uint16_t (&periods)[kLongestPattern]) {
  Borders borders;
  fill_borders(pattern, borders);
  const int m = static_cast<int>(pattern.size());
  int i = 0;
  for (int border = borders[m]; border >= 0; border = borders[border]) {
    for (; i < m - border; ++i) {
      periods[i] = static_cast<std::uint16_t>(m - border);
    }
  }
}

/// Reads the text once, from left to right, with either kind of borders. It knows the longest prefix of the pattern
/// that ends at the current position.
template <class Text, class Emit>
TRAWL_HOST_DEVICE void scan_with_borders(const Pattern& pattern, const Borders& borders, const Text& text,
                                         std::uint64_t begin, std::uint64_t end, Emit&& emit) {
  const auto m = static_cast<int>(pattern.m);
  const std::uint8_t letter = pattern[0];
  for (std::uint64_t j = first_window(begin, pattern.m); j < end; ++j) {
    if (text[j] != letter) {
      continue;
    }
    int i = 1;  // the length of the prefix that ends at j
    while (i > 0) {
      if (i == m) {
        emit(j);
        i = borders[m];
      }
      if (++j >= end) {
        return;
      }
      const unsigned char c = text[j];
      while (i > 0 && pattern[i] != c) {
        i = borders[i];
      }
      i = i > 0 || c == letter ? i + 1 : 0;
    }
  }
}

}  // namespace trawl::matchers
