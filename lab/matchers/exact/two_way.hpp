// Two Way (Crochemore and Perrin 1991, "Two-way string-matching"): cuts the pattern where its local period is that of
// the whole pattern. It compares the right part from left to right, then the left part from right to left. It needs no
// table, only the cut and the period, and reads at most 2 n characters.
#pragma once

#include <algorithm>

#include "lab/matchers/matcher.hpp"
#include "lab/matchers/maximal_suffix.hpp"

namespace trawl::matchers {

struct TwoWay {
  static constexpr MatcherFacts kFacts = {.name = "two-way",
                                          .code = "tw",
                                          .title = "Right part from left to right, left part from right to left",
                                          .authors = "Crochemore and Perrin",
                                          .year = 1991};

  struct Table {
    std::uint32_t cut;     // the right part's begin
    std::uint32_t period;  // the shift if the right part matches
    std::uint32_t kept;    // characters that are known to match after this shift
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    const auto m = static_cast<std::uint32_t>(pattern.size());
    MaximalSuffix suffix, reversed;
    suffix.extend(pattern, m);
    reversed.extend<true>(pattern, m);
    const MaximalSuffix& right = suffix.start > reversed.start ? suffix : reversed;
    const bool periodic = pattern.substr(0, right.start) == pattern.substr(right.period, right.start);
    table.cut = right.start;
    table.period = periodic ? right.period : std::max(right.start, m - right.start) + 1;
    table.kept = periodic ? m - right.period : 0;
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m, cut = table.cut;
    std::uint32_t known = 0;  // characters at the window's begin that match
    for (std::uint64_t window = first_window(begin, m); window + m <= end;) {
      std::uint32_t i = known > cut ? known : cut;
      while (i < m && table.pattern[i] == text[window + i]) {
        ++i;
      }
      if (i < m) {
        window += i - cut + 1;
        known = 0;
        continue;
      }
      i = cut;
      while (i > known && table.pattern[i - 1] == text[window + i - 1]) {
        --i;
      }
      if (i <= known) {
        emit(window + m - 1);
      }
      window += table.period;
      known = table.kept;
    }
  }
};

}  // namespace trawl::matchers
