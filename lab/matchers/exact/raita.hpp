// Raita (Raita 1992, "Tuning the Boyer-Moore-Horspool string searching algorithm"). Neighbouring characters of a text
// depend on each other, so it compares the last character of a window, the first and the one in the middle before the
// others. It shifts like Horspool.
#pragma once

#include "lab/matchers/exact/horspool.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Raita {
  static constexpr MatcherFacts kFacts = {
      .name = "raita",
      .code = "raita",
      .title = "Compares the last, the first and the middle character before the others",
      .authors = "Raita",
      .year = 1992};

  using Table = Horspool::Table;

  static void prepare(std::string_view pattern, Table& table) { Horspool::prepare(pattern, table); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const Pattern& pattern = table.pattern;
    const std::uint32_t m = pattern.m;
    const std::uint8_t first = pattern[0];
    const std::uint8_t middle = pattern[m / 2];
    const std::uint8_t last = pattern[m - 1];
    std::uint64_t window = first_window(begin, m);
    while (window + m <= end) {
      const std::uint8_t c = text[window + m - 1];
      if (c == last && text[window] == first && text[window + m / 2] == middle && pattern.agrees(text, window, 1, m)) {
        emit(window + m - 1);
      }
      window += table.shifts[c];
    }
  }
};

}  // namespace trawl::matchers
