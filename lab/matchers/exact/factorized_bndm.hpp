// BNDM on factors (KBNDM; Cantone, Faro and Giaquinta 2010, "A compact representation of nondeterministic (suffix)
// automata for the bit-parallel approach"): BNDM with one bit for each factor of the reversed pattern that has no
// character twice, so that the windows of longer patterns fit in a word, and the shifts are as long.
#pragma once

#include "lab/matchers/backward_masks.hpp"
#include "lab/matchers/factorized_masks.hpp"

namespace trawl::matchers {

struct FactorizedBndm {
  static constexpr MatcherFacts kFacts = {.name = "factorized-bndm",
                                          .code = "kbndm",
                                          .title = "BNDM with a bit for each factor of distinct characters",
                                          .authors = "Cantone, Faro and Giaquinta",
                                          .year = 2010,
                                          .limits = kFactorLimit};

  using Table = FactorizedMasks;
  static std::size_t table_bytes(const Table& table) { return table.used_bytes(); }
  static void prepare(std::string_view pattern, Table& table) { table.prepare(pattern, true); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end, table.length);
    const std::uint64_t whole = table.whole();
    for (std::uint64_t j = windows.first; j < windows.stop;) {
      std::uint32_t c = table.class_of[text[j]], read = 1, shift = windows.length;
      std::uint64_t state = table.members[c];
      while (state != 0) {
        if ((state & table.lasts[c] & whole) != 0) {
          if (read == windows.length) {
            windows.verify(table.pattern, text, j, emit);
            break;
          }
          shift = windows.length - read;
        }
        const std::uint32_t before = table.class_of[text[j - read]];
        state = table.step(state, c, before);
        c = before;
        ++read;
      }
      j += shift;
    }
  }
};

}  // namespace trawl::matchers
