// SSABS (Sheik, Aggarwal, Poddar, Balakrishnan and Sekar 2004, "A fast pattern matching algorithm"). It compares the
// last character of a window, then the first, and only if both agree those between them. It shifts like Quick Search,
// by the character after the window.
#pragma once

#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/exact/quick_search.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Ssabs {
  static constexpr MatcherFacts kFacts = {
      .name = "ssabs",
      .code = "ssabs",
      .title = "Compares the last and the first character before the others; shifts by the one after the window",
      .authors = "Sheik, Aggarwal, Poddar, Balakrishnan and Sekar",
      .year = 2004};

  using Table = QuickSearch::Table;

  static void prepare(std::string_view pattern, Table& table) { QuickSearch::prepare(pattern, table); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const Pattern& pattern = table.pattern;
    const std::uint32_t m = pattern.m;
    const std::uint8_t first = pattern[0];
    const std::uint8_t last = pattern[m - 1];
    std::uint64_t window = first_window(begin, m);
    while (window + m < end) {
      const std::uint32_t shift = table.shifts[text[window + m]];
      if (text[window + m - 1] == last && text[window] == first && pattern.agrees(text, window, 1, m)) {
        emit(window + m - 1);
      }
      window += shift;
    }
    compare_windows(pattern, text, window, end, emit);
  }
};

}  // namespace trawl::matchers
