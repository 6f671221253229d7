// Berry-Ravindran (Berry and Ravindran 1999, "A fast string matching algorithm and experimental results"). It compares
// a window from left to right. Then it looks at the two characters after the window, and moves the pattern to the right
// so that it agrees with both of them: by 1 to m + 2 characters.
#pragma once

#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/pair_shift.hpp"

namespace trawl::matchers {

struct BerryRavindran {
  static constexpr MatcherFacts kFacts = {.name = "berry-ravindran",
                                          .code = "br",
                                          .title = "Shifts by the two characters after the window",
                                          .authors = "Berry and Ravindran",
                                          .year = 1999};

  struct Table {
    PairShift shift;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.shift.set(pattern, pattern.size());
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t window = first_window(begin, m);
    while (window + m + 1 < end) {
      const std::uint32_t shift = table.shift(text[window + m], text[window + m + 1]);
      if (table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
      window += shift;
    }
    compare_windows(table.pattern, text, window, end, emit);
  }
};

}  // namespace trawl::matchers
