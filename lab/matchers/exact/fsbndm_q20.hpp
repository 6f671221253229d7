// FSBNDM-qf with q = 2 and f = 0 (Peltola and Tarhio 2011, "Variations of forward-SBNDM"): FSBNDM that reads q
// characters before its first test, of which f lie after the window. With f = 0 the windows are those of SBNDM-q2, but
// the loop is that of FSBNDM, which does not count the characters.
#pragma once

#include "lab/matchers/exact/fsbndm.hpp"
#include "lab/matchers/exact/sbndm.hpp"

namespace trawl::matchers {

struct FsbndmQ20 : BackwardSearch {
  static constexpr MatcherFacts kFacts = {
      .name = "fsbndm-q20",
      .code = "fsbndmq20",
      .title = "FSBNDM that reads two characters at once, none after the window",
      .authors = "Peltola and Tarhio",
      .year = 2011,
      .limits = "m = 1: as sbndm; m > 64: searches the first 64 characters, then compares the rest"};

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    if (table.pattern.m < 2) {
      Sbndm::scan(table, text, begin, end, emit);
    } else {
      scan_fsbndm<0>(table, text, begin, end, emit);
    }
  }
};

}  // namespace trawl::matchers
