// Shift-And on factors (KSA; Cantone, Faro and Giaquinta 2010, "A compact representation of nondeterministic (suffix)
// automata for the bit-parallel approach"): Shift-And with one bit for each factor of the pattern that has no character
// twice, so that longer patterns fit in a word.
#pragma once

#include "lab/matchers/factorized_masks.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct FactorizedShiftAnd {
  static constexpr MatcherFacts kFacts = {.name = "factorized-shift-and",
                                          .code = "ksa",
                                          .title = "Shift-And with a bit for each factor of distinct characters",
                                          .authors = "Cantone, Faro and Giaquinta",
                                          .year = 2010,
                                          .limits = kFactorLimit};

  using Table = FactorizedMasks;
  static std::size_t table_bytes(const Table& table) { return table.used_bytes(); }
  static void prepare(std::string_view pattern, Table& table) { table.prepare(pattern, false); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const WordPrefix prefix(table.pattern.m, table.length);
    const std::uint64_t last = prefix.last_end(end), whole = table.whole();
    const std::uint32_t start = table.class_of[table.pattern[0]];
    std::uint64_t state = 0;
    std::uint32_t before = 0;
    for (std::uint64_t j = first_window(begin, table.pattern.m); j < last; ++j) {
      const std::uint32_t c = table.class_of[text[j]];
      state = table.step(state, before, c) | (c == start ? 1 : 0);
      if ((state & table.lasts[c] & whole) != 0) {
        prefix.verify(table.pattern, text, j, emit);
      }
      before = c;
    }
  }
};

}  // namespace trawl::matchers
