// Boyer-Moore (Boyer and Moore 1977, "A fast string searching algorithm"): compares a window from right to left. At a
// difference the window moves by the larger of two shifts: the good suffix rule brings the matched characters to their
// next place in the pattern, the bad character rule does so with the character that differs.
#pragma once

#include "lab/matchers/boyer_moore_table.hpp"

namespace trawl::matchers {

struct BoyerMoore {
  static constexpr MatcherFacts kFacts = {.name = "boyer-moore",
                                          .code = "bm",
                                          .title = "Right to left, with the good suffix and the bad character rule",
                                          .authors = "Boyer and Moore",
                                          .year = 1977};

  using Table = BoyerMooreTable;

  static void prepare(std::string_view pattern, Table& table) { table.set(pattern); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const auto m = static_cast<int>(table.pattern.m);
    for (std::uint64_t last = first_window(begin, table.pattern.m) + table.pattern.m - 1; last < end;) {
      const int matched = table.matched_suffix(text, last);
      if (matched == m) {
        emit(last);
        last += table.good_suffix[m];
      } else {
        last += table.shift(matched, text[last - matched]);
      }
    }
  }
};

}  // namespace trawl::matchers
