// SBNDM, simplified BNDM (Peltola and Tarhio 2003, "Alternative algorithms for bit-parallel string matching"): BNDM
// that does not look for prefixes while it reads a window backward. The next window begins after the character at which
// the characters read stopped occurring in the pattern; after a match it moves by the pattern's period. The shifts are
// shorter than BNDM's, but each step costs less.
#pragma once

#include "lab/matchers/backward_masks.hpp"

namespace trawl::matchers {

struct Sbndm : BackwardSearch {
  static constexpr MatcherFacts kFacts = {.name = "sbndm",
                                          .code = "sbndm",
                                          .title = "BNDM without the search for prefixes",
                                          .authors = "Peltola and Tarhio",
                                          .year = 2003,
                                          .limits = kPrefixLimit};

  /// Reads on in the window that ends at `j`, from the state after `read` characters. Returns how far the next window
  /// is. `table` is filled by prepare_backward().
  template <class Table, class Text, class Emit>
  TRAWL_HOST_DEVICE static std::uint32_t read_window(const Table& table, const BackwardWindows& windows,
                                                     const Text& text, std::uint64_t j, std::uint64_t state,
                                                     std::uint32_t read, Emit&& emit) {
    for (; state != 0 && read < windows.length; ++read) {
      state = (state << 1) & table.masks[text[j - read]];
    }
    if (state == 0) {
      return windows.length - read + 1;
    }
    windows.verify(table.pattern, text, j, emit);
    return table.period;
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end);
    for (std::uint64_t j = windows.first; j < windows.stop;) {
      j += read_window(table, windows, text, j, table.masks[text[j]], 1, emit);
    }
  }
};

}  // namespace trawl::matchers
