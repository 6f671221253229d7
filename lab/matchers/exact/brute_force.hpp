// Brute force: compares every window of the text with the pattern, from left to right, up to the first difference.
#pragma once

#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct BruteForce {
  static constexpr MatcherFacts kFacts = {
      .name = "brute-force", .code = "bf", .title = "Compares every window from left to right", .authors = "folklore"};

  struct Table {
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) { table.pattern.set(pattern); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    compare_windows(table.pattern, text, first_window(begin, table.pattern.m), end, emit);
  }
};

}  // namespace trawl::matchers
