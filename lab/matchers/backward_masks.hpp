// What BNDM and its relatives share. They read a window of the text from right to left. One bit for each place in the
// pattern tells whether the characters read so far occur there. If no bit is left, these characters occur nowhere in
// the pattern, and the next window begins after the character that was read last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lab/matchers/failure_function.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/word_prefix.hpp"

namespace trawl::matchers {

/// Sets bit `lowest` in masks[c] if c is the last character, bit `lowest` + 1 if it is the one before, and so on. For
/// "abb" and 0: a 100, b 011. All masks must be 0 before, or have bits below `lowest` only.
///
///   std::uint64_t state = masks[text[j]];        // a bit for each place of text[j]
///   state = (state << 1) & masks[text[j - 1]];   // a bit for each place of the two characters up to j
///
/// After m characters only the highest bit of the m can be left: the window is the pattern.
inline void fill_backward_masks(std::string_view pattern, unsigned lowest, std::uint64_t (&masks)[256]) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    masks[static_cast<unsigned char>(pattern[i])] |= std::uint64_t{1} << (lowest + pattern.size() - 1 - i);
  }
}

/// The state after the two to four characters that end at `j`.
template <unsigned kQ, class Text>
TRAWL_HOST_DEVICE std::uint64_t read_gram(const std::uint64_t (&masks)[256], const Text& text, std::uint64_t j) {
  std::uint64_t state = masks[text[j]] << (kQ - 1);
  TRAWL_UNROLL
  for (unsigned i = 1; i < kQ; ++i) {
    state &= masks[text[j - i]] << (kQ - 1 - i);
  }
  return state;
}

/// The windows of the pattern's prefix in a stretch, each named by its last position.
///
///   const BackwardWindows windows(table.pattern.m, begin, end);
///   for (std::uint64_t j = windows.first; j < windows.stop;) {
///     if (...) windows.verify(table.pattern, text, j, emit);  // the prefix is there
///     j += ...;
///   }
struct BackwardWindows : WordPrefix {
  std::uint64_t first;  // the last position of the first window
  std::uint64_t stop;   // one after the last window

  TRAWL_HOST_DEVICE BackwardWindows(std::uint32_t m, std::uint64_t begin, std::uint64_t end,
                                    std::uint32_t limit = kWordBits)
      : WordPrefix(m, limit), first(first_window(begin, m) + length - 1), stop(last_end(end)) {}
};

/// Fills what most tables have: `masks` of the prefix, `period` of the prefix (two of its occurrences are never nearer;
/// SBNDM and its variants need it) and `pattern`.
template <class Table>
void prepare_backward(std::string_view pattern, Table& table) {
  const std::string_view prefix = word_prefix(pattern);
  Borders borders;
  fill_borders(prefix, borders);
  fill_backward_masks(prefix, 0, table.masks);
  table.period = static_cast<std::uint32_t>(prefix.size()) - static_cast<std::uint32_t>(borders[prefix.size()]);
  table.pattern.set(pattern);
}

/// A matcher that needs nothing else derives from it.
struct BackwardSearch {
  struct Table {
    std::uint64_t masks[256];
    std::uint32_t period;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) { prepare_backward(pattern, table); }
};

}  // namespace trawl::matchers
