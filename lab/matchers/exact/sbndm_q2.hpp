// SBNDMq with q = 2 (Durian, Holub, Peltola and Tarhio 2009, "Tuning BNDM with q-grams"): SBNDM that reads the last two
// characters of a window before its first test. It is SBNDM2 of 2005 without the loop of its own for windows that fail
// at once; its form is that of any q.
#pragma once

#include "lab/matchers/exact/sbndm.hpp"

namespace trawl::matchers {

struct SbndmQ2 : BackwardSearch {
  static constexpr MatcherFacts kFacts = {
      .name = "sbndm-q2",
      .code = "sbndmq2",
      .title = "SBNDM that reads two characters at once",
      .authors = "Durian, Holub, Peltola and Tarhio",
      .year = 2009,
      .limits = "m = 1: as sbndm; m > 64: searches the first 64 characters, then compares the rest"};

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    if (table.pattern.m < 2) {
      return Sbndm::scan(table, text, begin, end, emit);
    }
    const BackwardWindows windows(table.pattern.m, begin, end);
    for (std::uint64_t j = windows.first; j < windows.stop;) {
      j += Sbndm::read_window(table, windows, text, j, read_gram<2>(table.masks, text, j), 2, emit);
    }
  }
};

}  // namespace trawl::matchers
