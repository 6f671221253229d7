// BNDMq with q = 2 (Durian, Holub, Peltola and Tarhio 2009, "Tuning BNDM with q-grams"): BNDM that reads the last two
// characters of a window before it tests for the first time. They seldom occur together in the pattern, so most windows
// cost one test only.
#pragma once

#include "lab/matchers/exact/bndm.hpp"

namespace trawl::matchers {

struct BndmQ2 : BackwardSearch {
  static constexpr MatcherFacts kFacts = {
      .name = "bndm-q2",
      .code = "bndmq2",
      .title = "BNDM that reads two characters at once",
      .authors = "Durian, Holub, Peltola and Tarhio",
      .year = 2009,
      .limits = "m = 1: as bndm; m > 64: searches the first 64 characters, then compares the rest"};

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    if (table.pattern.m < 2) {
      scan_bndm<1>(table, text, begin, end, emit);
    } else {
      scan_bndm<2>(table, text, begin, end, emit);
    }
  }
};

}  // namespace trawl::matchers
