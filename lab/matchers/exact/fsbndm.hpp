// FSBNDM, forward simplified BNDM (Faro and Lecroq 2009, "Efficient variants of the backward-oracle-matching
// algorithm"): SBNDM that first reads the character after the window, then the window's last one. For the masks any
// character may follow the pattern. If the two do not occur together, the window moves by its whole length.
#pragma once

#include "lab/matchers/backward_masks.hpp"
#include "lab/matchers/compare_windows.hpp"

namespace trawl::matchers {

/// FSBNDM that reads two characters before its first test, kAhead of them after the window (Fsbndm: 1, FsbndmQ20: 0).
/// The prefix must have at least 2 - kAhead characters. Masks: fill_backward_masks() above kAhead bits that are 1.
template <unsigned kAhead, class Table, class Text, class Emit>
TRAWL_HOST_DEVICE void scan_fsbndm(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                   Emit&& emit) {
  const BackwardWindows windows(table.pattern.m, begin, end, kWordBits - kAhead);
  const std::uint64_t length = windows.length;
  if (windows.first >= windows.stop) {
    return;
  }
  // After the first window there is a character before the window, so the loops need not count.
  compare_windows(table.pattern, text, windows.first + 1 - length, windows.first + 1 + windows.rest, emit);
  std::uint64_t j = windows.first + 1;
  while (j + kAhead < windows.stop) {
    std::uint64_t state = read_gram<2>(table.masks, text, j + kAhead);
    if (state == 0) {
      j += length - 1 + kAhead;
      continue;
    }
    std::uint64_t from = j + kAhead - 1;  // the characters from here on occur in the pattern
    while ((state = (state << 1) & table.masks[text[from - 1]]) != 0) {
      --from;
    }
    const std::uint64_t next = from + length - 1;
    if (next == j) {
      windows.verify(table.pattern, text, j++, emit);
    } else {
      j = next;
    }
  }
  if (j < windows.stop) {  // there may be no character after the last window
    compare_windows(table.pattern, text, j + 1 - length, end, emit);
  }
}

struct Fsbndm {
  static constexpr MatcherFacts kFacts = {.name = "fsbndm",
                                          .code = "fsbndm",
                                          .title = "SBNDM that also reads the character after the window",
                                          .authors = "Faro and Lecroq",
                                          .year = 2009,
                                          .limits = "m > 63: searches the first 63 characters, then compares the rest"};

  struct Table {
    std::uint64_t masks[256];
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    for (std::uint64_t& mask : table.masks) {
      mask = 1;
    }
    fill_backward_masks(word_prefix(pattern, kWordBits - 1), 1, table.masks);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    scan_fsbndm<1>(table, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
