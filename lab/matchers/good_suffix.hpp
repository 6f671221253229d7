// The good suffix rule of Boyer and Moore 1977: how far a window may move so that the part of the text that has matched
// a suffix of the pattern meets the same characters again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lab/matchers/pattern.hpp"

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

/// One shift for each number of characters at the window's end that have matched, from 0 to m.
using SuffixShifts = std::uint16_t[kLongestPattern + 1];

/// shifts[matched] = m - the length of the longest border of the pattern that has at most `matched` characters: the
/// shift if the matched suffix does not occur again in the pattern. For "abcab": 5 5 3 3 3 3. shifts[m] is the period.
/// `lengths`: from fill_suffix_lengths().
template <class Shift, std::size_t kShifts>
void fill_border_shifts(const PositionValues& lengths, std::size_t m, Shift (&shifts)[kShifts]) {
  std::size_t border = 0;
  for (std::size_t matched = 0; matched <= m; ++matched) {
    border = matched > 0 && matched < m && lengths[matched - 1] == matched ? matched : border;
    shifts[matched] = static_cast<Shift>(m - border);
  }
}

/// shifts[matched] = the shift to the next place in the pattern where the matched suffix occurs after another character
/// (the strong rule). For "abcab": 1 5 3 3 3 3. shifts[m] is the period, the shift after a match.
inline void fill_good_suffix_shifts(std::string_view pattern, SuffixShifts& shifts) {
  PositionValues lengths;
  fill_suffix_lengths(pattern, lengths);
  fill_border_shifts(lengths, pattern.size(), shifts);
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (lengths[i] <= i) {
      shifts[lengths[i]] = static_cast<std::uint16_t>(pattern.size() - 1 - i);
    }
  }
}

}  // namespace trawl::matchers
