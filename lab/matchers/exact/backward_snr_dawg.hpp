// Backward SNR DAWG matching (Faro and Lecroq 2012, "A fast suffix automata based algorithm for exact online string
// matching"): searches for the longest substring of the pattern with no repeated characters (SNR). A text character has
// at most one place in it, so the automaton of all its factors is an array. The text is read in steps of the
// substring's length; where all of it is found, the pattern is compared. This is the version without q-grams; its steps
// are at most as long as the number of letters, which is short for DNA.
#pragma once

#include <algorithm>

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct BackwardSnrDawg {
  static constexpr MatcherFacts kFacts = {.name = "backward-snr-dawg",
                                          .code = "bsdm",
                                          .title = "Skips with the longest part that has no letter twice",
                                          .authors = "Faro and Lecroq",
                                          .year = 2012};

  struct Table {
    std::uint32_t first, length;  // of the substring
    std::uint16_t place[256];     // of a character: 1 for the first of the substring, 0 for none
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.pattern.set(pattern);
    std::uint32_t next[256] = {};  // the place after the last occurrence so far
    for (std::uint32_t first = 0, i = 0; i < table.pattern.m; ++i) {
      std::uint32_t& after = next[table.pattern[i]];
      first = std::max(first, after);
      after = i + 1;
      if (i + 1 - first > table.length) {
        table.first = first;
        table.length = i + 1 - first;
      }
    }
    for (std::uint32_t i = 0; i < table.length; ++i) {
      table.place[table.pattern[table.first + i]] = static_cast<std::uint16_t>(i + 1);
    }
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m, first = table.first, length = table.length;
    const std::uint32_t after = first + length;
    if (end < m) {
      return;
    }
    const std::uint64_t last = end - (m - after);  // one after the last text position where the substring can end
    for (std::uint64_t j = first_window(begin, m) + after - 1; j < last; j += length) {
      const std::uint32_t place = table.place[text[j]];
      if (place == 0) {
        continue;
      }
      std::uint32_t k = 1;
      while (k < place && text[j - k] == table.pattern[first + place - 1 - k]) {
        ++k;
      }
      if (k < place) {
        continue;
      }
      if (place < length) {
        j -= place;  // a prefix of the substring ends here
      } else if (table.pattern.occurs(text, j + 1 - after)) {
        emit(j + m - after);
      }
    }
  }
};

}  // namespace trawl::matchers
