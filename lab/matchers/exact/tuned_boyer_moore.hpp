// Tuned Boyer-Moore (Hume and Sunday 1991, "Fast string searching"). Horspool's shift, but the shift of the pattern's
// last character is 0. So a loop can make three shifts one after another without a test: where the last character is
// met, the window stays. There the rest is compared, and the window moves by Horspool's shift of that character.
#pragma once

#include <utility>

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct TunedBoyerMoore {
  static constexpr MatcherFacts kFacts = {
      .name = "tuned-boyer-moore",
      .code = "tunedbm",
      .title = "Makes three of Horspool's shifts before it looks for the last character",
      .authors = "Hume and Sunday",
      .year = 1991};

  struct Table {
    std::uint16_t shifts[256];  // by the last character of the window; 0 if it agrees
    std::uint16_t after_last;   // the shift where it agrees
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_window_shifts(pattern, table.shifts);
    table.after_last = std::exchange(table.shifts[static_cast<unsigned char>(pattern.back())], std::uint16_t{0});
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    const std::uint32_t after_last = table.after_last;
    const auto shift = [&](std::uint64_t window) { return table.shifts[text[window + m - 1]]; };
    std::uint64_t window = first_window(begin, m);
    while (window + m <= end) {
      std::uint32_t k = shift(window);
      while (k != 0 && window + std::uint64_t{4} * m <= end) {
        window += k;
        window += shift(window);
        window += shift(window);
        k = shift(window);
      }
      if (k == 0) {
        if (table.pattern.agrees(text, window, 0, m - 1)) {
          emit(window + m - 1);
        }
        k = after_last;
      }
      window += k;
    }
  }
};

}  // namespace trawl::matchers
