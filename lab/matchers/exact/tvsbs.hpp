// TVSBS (Thathoo, Virmani, Sai Lakshmi, Balakrishnan and Sekar 2006, "TVSBS: a fast exact pattern matching algorithm
// for biological sequences"). It compares the last character of a window, then the first, and only if both agree those
// between them. It shifts like Berry-Ravindran, by the two characters after the window.
#pragma once

#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/exact/berry_ravindran.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Tvsbs {
  static constexpr MatcherFacts kFacts = {
      .name = "tvsbs",
      .code = "tvsbs",
      .title = "Compares the last and the first character before the others; shifts by the two after the window",
      .authors = "Thathoo, Virmani, Sai Lakshmi, Balakrishnan and Sekar",
      .year = 2006};

  using Table = BerryRavindran::Table;

  static void prepare(std::string_view pattern, Table& table) { BerryRavindran::prepare(pattern, table); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const Pattern& pattern = table.pattern;
    const std::uint32_t m = pattern.m;
    const std::uint8_t first = pattern[0];
    const std::uint8_t last = pattern[m - 1];
    std::uint64_t window = first_window(begin, m);
    while (window + m + 1 < end) {
      const std::uint32_t shift = table.shift(text[window + m], text[window + m + 1]);
      if (text[window + m - 1] == last && text[window] == first && pattern.agrees(text, window, 1, m)) {
        emit(window + m - 1);
      }
      window += shift;
    }
    compare_windows(pattern, text, window, end, emit);
  }
};

}  // namespace trawl::matchers
