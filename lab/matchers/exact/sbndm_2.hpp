// SBNDM2 (Holub and Durian 2005, talk "Fast variants of bit parallel approach to suffix automata"): SBNDM whose loop is
// unrolled at its begin: the last two characters of a window are read without a test in between. Windows whose last two
// characters do not occur in the pattern are passed over in a short loop of their own.
#pragma once

#include "lab/matchers/exact/sbndm.hpp"

namespace trawl::matchers {

struct Sbndm2 : BackwardSearch {
  static constexpr MatcherFacts kFacts = {
      .name = "sbndm-2",
      .code = "sbndm2",
      .title = "SBNDM with a short loop over windows whose last two characters fail",
      .authors = "Holub and Durian",
      .year = 2005,
      .limits = "m = 1: as sbndm; m > 64: searches the first 64 characters, then compares the rest"};

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    if (table.pattern.m < 2) {
      return Sbndm::scan(table, text, begin, end, emit);
    }
    const BackwardWindows windows(table.pattern.m, begin, end);
    const std::uint64_t step = windows.length - 1;
    for (std::uint64_t j = windows.first; j < windows.stop;) {
      std::uint64_t state = 0;
      while (j < windows.stop && (state = read_gram<2>(table.masks, text, j)) == 0) {
        j += step;
      }
      if (state != 0) {
        j += Sbndm::read_window(table, windows, text, j, state, 2, emit);
      }
    }
  }
};

}  // namespace trawl::matchers
