// The bad character rule of Boyer and Moore 1977: how far a window may move so that a character of the text meets its
// last occurrence in the pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trawl::matchers {

/// shifts[c] = how far the last c of `part` is from the place after `part`: part.size() - its position, or
/// part.size() + 1 if `part` has no c. For "abcb": a 4, b 1, c 2, all others 5.
template <class Shift>
void fill_distances(std::string_view part, Shift (&shifts)[256]) {
  for (Shift& shift : shifts) {
    shift = static_cast<Shift>(part.size() + 1);
  }
  for (std::size_t i = 0; i < part.size(); ++i) {
    shifts[static_cast<unsigned char>(part[i])] = static_cast<Shift>(part.size() - i);
  }
}

/// Boyer-Moore's and Horspool's table: shifts[c] is the shift if c is the last character of the window. The last
/// character of the pattern itself does not count. For "abcb": a 3, b 2, c 1, all others 4 (the pattern's length).
///
///   std::uint16_t shifts[256];  // in the table of a matcher
///   fill_window_shifts(pattern, table.shifts);
///   ... window += table.shifts[text[window + m - 1]];
///
/// If c is at position i of the window, Boyer-Moore's shift is shifts[c] - (m - 1 - i); it can be 0 or less.
template <class Shift>
void fill_window_shifts(std::string_view pattern, Shift (&shifts)[256]) {
  fill_distances(pattern.substr(0, pattern.size() - 1), shifts);
}

/// Quick Search's table: shifts[c] is the shift if c is the character after the window. For "abcb": a 4, b 1, c 2, all
/// others 5.
template <class Shift>
void fill_next_shifts(std::string_view pattern, Shift (&shifts)[256]) {
  fill_distances(pattern, shifts);
}

}  // namespace trawl::matchers
