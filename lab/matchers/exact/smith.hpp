// Smith (Smith 1991, "Experiments with a very fast substring search algorithm"). Horspool's shift, by the last
// character of the window, is sometimes larger than Quick Search's, by the character after it. It takes the larger of
// the two.
#pragma once

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Smith {
  static constexpr MatcherFacts kFacts = {.name = "smith",
                                          .code = "smith",
                                          .title = "Shifts by the larger of Horspool's and Quick Search's shifts",
                                          .authors = "Smith",
                                          .year = 1991};

  struct Table {
    std::uint16_t last_shifts[256];  // by the last character of the window
    std::uint16_t next_shifts[256];  // by the character after the window
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_window_shifts(pattern, table.last_shifts);
    fill_next_shifts(pattern, table.next_shifts);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t window = first_window(begin, m);
    while (window + m < end) {
      const std::uint32_t by_last = table.last_shifts[text[window + m - 1]];
      const std::uint32_t by_next = table.next_shifts[text[window + m]];
      if (table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
      window += by_last > by_next ? by_last : by_next;
    }
    compare_windows(table.pattern, text, window, end, emit);
  }
};

}  // namespace trawl::matchers
