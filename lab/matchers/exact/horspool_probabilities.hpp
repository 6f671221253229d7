// Boyer-Moore-Horspool using probabilities (Nebel 2006, "Fast string matching by using probabilities: on an optimal
// mismatch variant of Horspool's algorithm"). It compares the pattern's characters in the order of their probability in
// the text, the rarest first, so that a difference is met early, and shifts like Horspool. SMART counts the first 100
// characters of the text. Nothing is known of the text here, so a character counts as rare if it is rare in the
// pattern.
#pragma once

#include <algorithm>

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct HorspoolProbabilities {
  static constexpr MatcherFacts kFacts = {
      .name = "horspool-probabilities",
      .code = "pbmh",
      .title = "Compares the rarest characters first; shifts by the last one of the window",
      .authors = "Nebel",
      .year = 2006};

  struct Table {
    std::uint16_t shifts[256];              // by the last character of the window
    std::uint16_t places[kLongestPattern];  // in the order of comparison
    Pattern pattern;                        // its characters, in this order
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_window_shifts(pattern, table.shifts);
    std::uint16_t counts[256] = {};
    const auto count = [&](std::size_t i) -> auto& { return counts[static_cast<unsigned char>(pattern[i])]; };
    std::string sorted(pattern);
    for (std::uint16_t i = 0; i < pattern.size(); ++i) {
      ++count(i);
      table.places[i] = i;
    }
    std::stable_sort(table.places, table.places + pattern.size(),
                     [&](std::uint16_t i, std::uint16_t j) { return count(i) < count(j); });
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      sorted[i] = pattern[table.places[i]];
    }
    table.pattern.set(sorted);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t window = first_window(begin, m);
    while (window + m <= end) {
      const std::uint32_t shift = table.shifts[text[window + m - 1]];
      std::uint32_t i = 0;
      while (i < m && text[window + table.places[i]] == table.pattern[i]) {
        ++i;
      }
      if (i == m) {
        emit(window + m - 1);
      }
      window += shift;
    }
  }
};

}  // namespace trawl::matchers
