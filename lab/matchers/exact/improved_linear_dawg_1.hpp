// Improved linear DAWG matching, version 1 (Liu, Wang, Liu and Li 2006, "Two improved single pattern matching
// algorithms"): finds the longest prefix of the pattern that ends the window, then reads on from left to right until no
// prefix of the pattern ends at the current character. The next window begins after this one.
#pragma once

#include "lab/matchers/linear_dawg.hpp"

namespace trawl::matchers {

struct ImprovedLinearDawg1 {
  static constexpr MatcherFacts kFacts = {
      .name = "improved-linear-dawg-1",
      .code = "ildm1",
      .title = "Reads backward with a suffix automaton, then forward while a prefix lasts",
      .authors = "Liu, Wang, Liu and Li",
      .year = 2006};

  using Table = LinearDawg;

  static void prepare(std::string_view pattern, Table& table) { table.prepare(pattern); }
  static std::size_t table_bytes(const Table& table) { return table.used_bytes(); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    table.scan(text, begin, end, 0, emit);
  }
};

}  // namespace trawl::matchers
