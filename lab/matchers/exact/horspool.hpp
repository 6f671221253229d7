// Horspool (Horspool 1980, "Practical fast searching in strings"). If the last character of a window agrees, it
// compares the others. Whether they agree or not, it moves the window so that the text's character under the window's
// last place meets its last occurrence in the pattern.
#pragma once

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Horspool {
  static constexpr MatcherFacts kFacts = {.name = "horspool",
                                          .code = "hor",
                                          .title = "Shifts by the last character of the window",
                                          .authors = "Horspool",
                                          .year = 1980};

  struct Table {
    std::uint16_t shifts[256];  // by the last character of the window
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_window_shifts(pattern, table.shifts);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    const std::uint8_t last = table.pattern[m - 1];
    std::uint64_t window = first_window(begin, m);
    while (window + m <= end) {
      const std::uint8_t c = text[window + m - 1];
      if (c == last && table.pattern.agrees(text, window, 0, m - 1)) {
        emit(window + m - 1);
      }
      window += table.shifts[c];
    }
  }
};

}  // namespace trawl::matchers
