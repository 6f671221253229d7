// Zhu-Takaoka (Zhu and Takaoka 1987, "On improving the average case of the Boyer-Moore string matching algorithm"). It
// compares like Boyer-Moore from right to left and has its good suffix rule. The other shift is not by the character
// that differs, but by the last two of the window: pairs are rarer than single characters, so it is larger.
#pragma once

#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/good_suffix.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/pair_shift.hpp"

namespace trawl::matchers {

struct ZhuTakaoka {
  static constexpr MatcherFacts kFacts = {.name = "zhu-takaoka",
                                          .code = "zt",
                                          .title = "Shifts by the last two characters of the window or the good suffix",
                                          .authors = "Zhu and Takaoka",
                                          .year = 1987,
                                          .limits = "m = 1: compares every character"};

  struct Table {
    PairShift pair_shift;
    SuffixShifts good_suffix;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    if (pattern.size() > 1) {
      table.pair_shift.set(pattern, pattern.size() - 2);
      fill_good_suffix_shifts(pattern, table.good_suffix);
    }
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t window = first_window(begin, m);
    if (m == 1) {
      compare_windows(table.pattern, text, window, end, emit);
      return;
    }
    while (window + m <= end) {
      const std::uint32_t pair = table.pair_shift(text[window + m - 2], text[window + m - 1]);
      std::uint32_t differs = m - 1;
      while (text[window + differs] == table.pattern[differs] && differs > 0) {
        --differs;
      }
      if (differs == 0 && text[window] == table.pattern[0]) {
        emit(window + m - 1);
      }
      const std::uint32_t good = table.good_suffix[m - 1 - differs];
      window += pair > good ? pair : good;
    }
  }
};

}  // namespace trawl::matchers
