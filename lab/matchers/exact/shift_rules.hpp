// The rules by which windows move: the borders of a pattern, the bad character, the good suffix and the pair rule.
#pragma once

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// For each prefix of a pattern a length of a border, or -1. A border of a string is a shorter string that it both
/// begins and ends with: "aba" is a border of "ababa".
using Borders = std::int16_t[kLongestPattern + 1];

/// The failure function of Morris and Pratt 1970: borders[i] = the length of the longest border of pattern[0, i), for
/// 0 < i <= m; borders[0] = -1. For "abab": -1 0 0 1 2. The period of the pattern is m - borders[m].
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

/// That of Knuth, Morris and Pratt 1977: borders[i] = the length b of the longest border of pattern[0, i) with
/// pattern[b] != pattern[i], or -1 if there is none; borders[m] is the longest border of the pattern. For "abab":
/// -1 0 -1 0 2.
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

/// One value for each position of a pattern.
using PositionValues = std::uint16_t[kLongestPattern];

/// periods[i] = the shortest period of the pattern that is longer than i, for i < m. For "ababa": 2 2 4 4 5.
inline void fill_next_periods(std::string_view pattern, PositionValues& periods) {
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

/// Quick Search's table: shifts[c] = how far the last c of the pattern is from the place after it, the shift if c is
/// the character after the window. For "abcb": a 4, b 1, c 2, all others 5 (the length + 1).
template <class Shift>
void fill_next_shifts(std::string_view pattern, Shift (&shifts)[256]) {
  std::fill(shifts, shifts + 256, static_cast<Shift>(pattern.size() + 1));
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    shifts[static_cast<unsigned char>(pattern[i])] = static_cast<Shift>(pattern.size() - i);
  }
}

/// The bad character rule of Boyer and Moore 1977, Horspool's table: shifts[c] is the shift if c is the last character
/// of the window, so that it meets its last occurrence in the pattern. The last character of the pattern itself does
/// not count. For "abcb": a 3, b 2, c 1, all others 4. If c is at position i of the window, Boyer-Moore's shift is
/// shifts[c] - (m - 1 - i); it can be 0 or less.
template <class Shift>
void fill_window_shifts(std::string_view pattern, Shift (&shifts)[256]) {
  fill_next_shifts(pattern.substr(0, pattern.size() - 1), shifts);
}

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

/// The good suffix rule of Boyer and Moore 1977: shifts[matched] = the shift to the next place in the pattern where the
/// matched suffix occurs after another character (the strong rule). For "abcab": 1 5 3 3 3 3. shifts[m] is the period,
/// the shift after a match.
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

/// The shift by two characters: how far the window can move at least, given two neighbouring characters of the text.
/// Zhu and Takaoka read the last two of the window, Berry and Ravindran the two after it.
///
///   PairShift shift;
///   shift.set("abcd", 4);  // for the two characters after the window, at its positions 4 and 5
///   shift('c', 'd')        // 2: moved by 2, the window has "cd" at the place of these two
///   shift('d', 'x')        // 1: the moved window ends with this 'd'
///   shift('x', 'a')        // 5: it begins with this 'a'
///   shift('x', 'y')        // 6: it begins after both
struct PairShift {
  std::uint16_t shifts[256 * 256];  // the row of the first character, then the column of the second

  /// `at`: where the pair's first character lies in the window, from 0 to the pattern's length m. For at = m - 2 it is
  /// the window's last pair.
  void set(std::string_view pattern, std::size_t at) {
    const auto letter = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(pattern[i])}; };
    std::fill(shifts, shifts + 256 * 256, static_cast<std::uint16_t>(at + 2));
    for (std::size_t a = 0; a < 256; ++a) {
      shifts[a * 256 + letter(0)] = static_cast<std::uint16_t>(at + 1);
    }
    for (std::size_t shift = at; shift > 0; --shift) {
      const std::size_t row = letter(at - shift) * 256;
      if (at - shift + 1 < pattern.size()) {
        shifts[row + letter(at - shift + 1)] = static_cast<std::uint16_t>(shift);
      } else {
        std::fill(shifts + row, shifts + row + 256, static_cast<std::uint16_t>(shift));
      }
    }
  }

  TRAWL_HOST_DEVICE std::uint32_t operator()(std::uint8_t first, std::uint8_t second) const {
    return shifts[std::uint32_t{first} << 8 | second];
  }
};

}  // namespace trawl::matchers
