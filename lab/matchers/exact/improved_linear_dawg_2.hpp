// Improved linear DAWG matching, version 2 (Liu, Wang, Liu and Li 2006, "Two improved single pattern matching
// algorithms"): finds the longest prefix of the pattern that ends the window, then reads on from left to right only
// while this prefix is longer than half the pattern. The next window begins with the prefix that is left.
#pragma once

#include "lab/matchers/linear_dawg.hpp"

namespace trawl::matchers {

struct ImprovedLinearDawg2 {
  static constexpr MatcherFacts kFacts = {
      .name = "improved-linear-dawg-2",
      .code = "ildm2",
      .title = "As improved-linear-dawg-1, but forward only while half the pattern is there",
      .authors = "Liu, Wang, Liu and Li",
      .year = 2006};

  using Table = LinearDawg;

  static void prepare(std::string_view pattern, Table& table) { table.prepare(pattern); }
  static std::size_t table_bytes(const Table& table) { return table.used_bytes(); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    table.scan(text, begin, end, table.m / 2, emit);
  }
};

}  // namespace trawl::matchers
