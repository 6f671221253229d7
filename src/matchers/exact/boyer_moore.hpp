// Boyer-Moore (Boyer and Moore 1977): compares a window from right to left. At a difference the window moves by the
// larger of two shifts: the good suffix rule brings the matched characters to their next place in the pattern, the bad
// character rule does so with the character that differs.
#pragma once

#include "matchers/bad_character.hpp"
#include "matchers/good_suffix.hpp"
#include "matchers/matcher.hpp"

namespace trawl::matchers {

struct BoyerMoore {
  static constexpr MatcherFacts kFacts = {.name = "boyer-moore",
                                          .code = "bm",
                                          .title = "Right to left, with the good suffix and the bad character rule",
                                          .authors = "Boyer and Moore",
                                          .year = 1977};

  struct Table {
    std::uint16_t bad_character[256];
    PositionValues good_suffix;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_window_shifts(pattern, table.bad_character);
    fill_good_suffix_shifts(pattern, table.good_suffix);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const auto m = static_cast<int>(table.pattern.m);
    for (std::uint64_t last = first_window(begin, table.pattern.m) + table.pattern.m - 1; last < end;) {
      int matched = 0;
      while (matched < m && table.pattern[m - 1 - matched] == text[last - matched]) {
        ++matched;
      }
      if (matched == m) {
        emit(last);
        last += table.good_suffix[0];
      } else {
        const int good = table.good_suffix[m - 1 - matched];
        const int bad = table.bad_character[text[last - matched]] - matched;
        last += good > bad ? good : bad;
      }
    }
  }
};

}  // namespace trawl::matchers
