// Not So Naive (Hancart 1993, "Analyse exacte et en moyenne d'algorithmes de recherche d'un motif dans un texte"):
// compares the second character of the pattern first, then the others, then the first. What it then knows of the second
// character of the window lets it move by two characters: after a difference if the pattern begins with two equal
// letters, after an agreement if it does not.
#pragma once

#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct NotSoNaive {
  static constexpr MatcherFacts kFacts = {.name = "not-so-naive",
                                          .code = "nsn",
                                          .title = "Brute force that moves by two if the second letter allows it",
                                          .authors = "Hancart",
                                          .year = 1993,
                                          .limits = "m = 1: compares every character"};

  struct Table {
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) { table.pattern.set(pattern); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t window = first_window(begin, m);
    if (m == 1) {
      compare_windows(table.pattern, text, window, end, emit);
      return;
    }
    const std::uint8_t letter = table.pattern[0], second = table.pattern[1];
    const unsigned after_difference = letter == second ? 2 : 1, after_agreement = letter == second ? 1 : 2;
    while (window + m <= end) {
      if (text[window + 1] != second) {
        window += after_difference;
        continue;
      }
      if (table.pattern.agrees(text, window, 2, m) && text[window] == letter) {
        emit(window + m - 1);
      }
      window += after_agreement;
    }
  }
};

}  // namespace trawl::matchers
