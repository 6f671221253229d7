// Colussi (Colussi 1991, "Correctness and efficiency of pattern matching algorithms"): Knuth-Morris-Pratt with the
// positions of the pattern in two groups. Those where a difference leaves a useful border are compared first, from left
// to right; then the others, from right to left. A difference in the second group moves the window further. It compares
// at most 1.5 n characters.
#pragma once

#include "lab/matchers/colussi_order.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Colussi {
  static constexpr MatcherFacts kFacts = {.name = "colussi",
                                          .code = "col",
                                          .title = "Compares positions with useful borders first, then the others",
                                          .authors = "Colussi",
                                          .year = 1991};

  struct Table {
    OrderedPattern pattern;
  };
  static std::size_t table_bytes(const Table& table) { return offsetof(Table, pattern) + table.pattern.used_bytes(); }

  static void prepare(std::string_view pattern, Table& table) { table.pattern.set(pattern); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t window = first_window(begin, m);
    std::uint64_t known = window;
    std::uint32_t step = 0;
    while (window + m <= end) {
      table.pattern.compare(text, window, known, step, emit);
    }
  }
};

}  // namespace trawl::matchers
