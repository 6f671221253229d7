// Morris-Pratt (Morris and Pratt 1970, "A linear pattern-matching algorithm"): reads the text once, from left to right.
// It knows the longest prefix of the pattern that ends at the current position; if the next character does not extend
// it, the prefix's longest border is tried, and so on.
#pragma once

#include "lab/matchers/failure_function.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct MorrisPratt {
  static constexpr MatcherFacts kFacts = {.name = "morris-pratt",
                                          .code = "mp",
                                          .title = "Falls back to the longest border of the matched prefix",
                                          .authors = "Morris and Pratt",
                                          .year = 1970};

  struct Table {
    Borders borders;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_borders(pattern, table.borders);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    scan_with_borders(table.pattern, table.borders, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
