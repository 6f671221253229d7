// Brute force: compares every window of the text with the pattern, from left to right, up to the first difference.
#pragma once

#include <algorithm>

#include "matchers/matcher.hpp"

namespace trawl::matchers {

struct BruteForce {
  static constexpr MatcherFacts kFacts = {.name = "brute-force",
                                          .title = "Exact matching, every window from left to right",
                                          .paper = "folklore",
                                          .longest = 1024};

  struct Table {
    std::uint32_t m;
    std::uint8_t pattern[kFacts.longest];
  };

  static Table prepare(std::string_view pattern) {
    Table table{};
    table.m = static_cast<std::uint32_t>(pattern.size());
    std::copy(pattern.begin(), pattern.end(), table.pattern);
    return table;
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    for (std::uint64_t window = first_window(begin, table.m); window + table.m <= end; ++window) {
      std::uint32_t i = 0;
      while (i < table.m && text[window + i] == table.pattern[i]) {
        ++i;
      }
      if (i == table.m) {
        emit(window + table.m - 1);
      }
    }
  }
};

}  // namespace trawl::matchers
