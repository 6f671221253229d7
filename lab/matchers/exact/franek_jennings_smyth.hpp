// Franek-Jennings-Smyth (Franek, Jennings and Smyth 2005, "A simple fast hybrid pattern-matching algorithm"). It shifts
// like Quick Search until the last character of the window agrees. Then it compares from left to right and shifts like
// Knuth-Morris-Pratt. As long as a prefix of the window is known to agree it goes on like that, so it takes linear
// time.
#pragma once

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/failure_function.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct FranekJenningsSmyth {
  static constexpr MatcherFacts kFacts = {
      .name = "franek-jennings-smyth",
      .code = "fjs",
      .title = "Shifts by Quick Search up to a last character, then by Knuth-Morris-Pratt",
      .authors = "Franek, Jennings and Smyth",
      .year = 2005};

  struct Table {
    std::uint16_t shifts[256];  // by the character after the window
    Borders borders;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_next_shifts(pattern, table.shifts);
    fill_strict_borders(pattern, table.borders);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const Pattern& pattern = table.pattern;
    const std::uint32_t m = pattern.m;
    const std::uint8_t last = pattern[m - 1];
    std::uint64_t window = first_window(begin, m);
    std::uint32_t agree = 0;  // characters of the window that are known to agree
    while (window + m <= end) {
      if (agree == 0 && text[window + m - 1] != last) {
        if (window + m == end) {
          return;
        }
        window += table.shifts[text[window + m]];
        continue;
      }
      while (agree < m && text[window + agree] == pattern[agree]) {
        ++agree;
      }
      if (agree == m) {
        emit(window + m - 1);
      }
      const std::int32_t border = table.borders[agree];
      window += static_cast<std::uint64_t>(static_cast<std::int32_t>(agree) - border);
      agree = border > 0 ? static_cast<std::uint32_t>(border) : 0;
    }
  }
};

}  // namespace trawl::matchers
