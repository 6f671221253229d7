// Tailed substring (Cantone and Faro 2004, "Searching for a substring with constant extra-space complexity"). A tailed
// substring of the pattern has its last character nowhere else in it. The longest one gives a place (`tail`) and a
// length: if the text has the tail's character at this place of the window, the window is compared and moves by the
// length, otherwise it moves by 1. The paper finds the longest one during the search, to need no preparation; here
// prepare() finds it, so that the stretches of a text share it.
#pragma once

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct TailedSubstring {
  static constexpr MatcherFacts kFacts = {.name = "tailed-substring",
                                          .code = "ts",
                                          .title = "Looks for the last character of the longest tailed substring",
                                          .authors = "Cantone and Faro",
                                          .year = 2004};

  struct Table {
    std::uint32_t tail;    // where the longest tailed substring ends
    std::uint32_t length;  // of it
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    std::uint32_t after[256] = {};  // after a character's last place, for the characters so far
    for (std::uint32_t i = 0; i < pattern.size(); ++i) {
      std::uint32_t& before = after[static_cast<unsigned char>(pattern[i])];
      if (i + 1 - before > table.length) {
        table.tail = i;
        table.length = i + 1 - before;
      }
      before = i + 1;
    }
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    const std::uint32_t tail = table.tail;
    const std::uint32_t length = table.length;
    const std::uint8_t letter = table.pattern[tail];
    std::uint64_t window = first_window(begin, m);
    while (window + m <= end) {
      if (text[window + tail] != letter) {
        ++window;
        continue;
      }
      if (table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
      window += length;
    }
  }
};

}  // namespace trawl::matchers
