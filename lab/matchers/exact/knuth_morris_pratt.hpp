// Knuth-Morris-Pratt (Knuth, Morris and Pratt 1977, "Fast pattern matching in strings"): reads the text as Morris-Pratt
// does, but tries only borders that are followed by another character than the one that has just failed.
#pragma once

#include "lab/matchers/failure_function.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct KnuthMorrisPratt {
  static constexpr MatcherFacts kFacts = {.name = "knuth-morris-pratt",
                                          .code = "kmp",
                                          .title = "Falls back to a border that another character follows",
                                          .authors = "Knuth, Morris and Pratt",
                                          .year = 1977};

  struct Table {
    Borders borders;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_strict_borders(pattern, table.borders);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    scan_with_borders(table.pattern, table.borders, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
