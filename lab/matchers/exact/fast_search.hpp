// Fast-Search (Cantone and Faro 2003, "Fast-Search: a new efficient variant of the Boyer-Moore string matching
// algorithm"): if the last character of the window differs, it moves by Horspool's shift, which needs no comparison of
// the others. Otherwise it compares from right to left and moves by Boyer-Moore's good suffix rule alone.
#pragma once

#include "lab/matchers/boyer_moore_table.hpp"

namespace trawl::matchers {

struct FastSearch {
  static constexpr MatcherFacts kFacts = {
      .name = "fast-search",
      .code = "fs",
      .title = "Horspool's shift, or the good suffix rule if the last letter agrees",
      .authors = "Cantone and Faro",
      .year = 2003};

  using Table = BoyerMooreTable;

  static void prepare(std::string_view pattern, Table& table) {
    table.set(pattern);
    table.bad_character[static_cast<unsigned char>(pattern.back())] = 0;  // it agrees
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const int m = static_cast<int>(table.pattern.m);
    for (std::uint64_t last = first_window(begin, table.pattern.m) + table.pattern.m - 1; last < end;) {
      if (const unsigned shift = table.bad_character[text[last]]; shift != 0) {
        last += shift;
        continue;
      }
      const int matched = table.matched_suffix(text, last, 1);
      if (matched == m) {
        emit(last);
      }
      last += table.good_suffix[matched];
    }
  }
};

}  // namespace trawl::matchers
