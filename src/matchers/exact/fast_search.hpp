// Fast-Search (Cantone and Faro 2003): if the last character of the window differs, it moves by Horspool's shift, which
// needs no comparison. Otherwise it compares from right to left and moves by Boyer-Moore's good suffix rule alone.
#pragma once

#include "matchers/bad_character.hpp"
#include "matchers/good_suffix.hpp"
#include "matchers/matcher.hpp"

namespace trawl::matchers {

struct FastSearch {
  static constexpr MatcherFacts kFacts = {
      .name = "fast-search",
      .code = "fs",
      .title = "Horspool's shift, or the good suffix rule if the last letter agrees",
      .authors = "Cantone and Faro",
      .year = 2003};

  struct Table {
    std::uint16_t bad_character[256];  // 0 for the pattern's last character
    PositionValues good_suffix;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_window_shifts(pattern, table.bad_character);
    table.bad_character[static_cast<unsigned char>(pattern.back())] = 0;
    fill_good_suffix_shifts(pattern, table.good_suffix);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    for (std::uint64_t last = first_window(begin, m) + m - 1; last < end;) {
      if (const unsigned shift = table.bad_character[text[last]]; shift != 0) {
        last += shift;
        continue;
      }
      std::uint32_t matched = 1;
      while (matched < m && table.pattern[m - 1 - matched] == text[last - matched]) {
        ++matched;
      }
      if (matched == m) {
        emit(last);
        last += table.good_suffix[0];
      } else {
        last += table.good_suffix[m - 1 - matched];
      }
    }
  }
};

}  // namespace trawl::matchers
