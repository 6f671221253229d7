// Quick Search (Sunday 1990, "A very fast substring search algorithm"). It compares a window in any order, here from
// left to right. The character after the window lies in the next window in any case, so the window moves until it meets
// its last occurrence in the pattern: by 1 to m + 1 characters.
#pragma once

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct QuickSearch {
  static constexpr MatcherFacts kFacts = {.name = "quick-search",
                                          .code = "qs",
                                          .title = "Shifts by the character after the window",
                                          .authors = "Sunday",
                                          .year = 1990};

  struct Table {
    std::uint16_t shifts[256];  // by the character after the window
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_next_shifts(pattern, table.shifts);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t window = first_window(begin, m);
    while (window + m < end) {
      const std::uint32_t shift = table.shifts[text[window + m]];
      if (table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
      window += shift;
    }
    compare_windows(table.pattern, text, window, end, emit);
  }
};

}  // namespace trawl::matchers
