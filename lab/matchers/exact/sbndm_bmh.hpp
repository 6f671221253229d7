// SBNDM-BMH (Holub and Durian 2005, talk "Fast variants of bit parallel approach to suffix automata"): SBNDM that uses
// Horspool's rule where the last character of a window does not occur in the pattern. Then the window may move by its
// length, and further, so that the character one window later meets its last occurrence in the pattern.
#pragma once

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/exact/sbndm.hpp"

namespace trawl::matchers {

struct SbndmBmh {
  static constexpr MatcherFacts kFacts = {.name = "sbndm-bmh",
                                          .code = "sbndm_bmh",
                                          .title = "SBNDM with Horspool's shift after characters not in the pattern",
                                          .authors = "Holub and Durian",
                                          .year = 2005,
                                          .limits = kPrefixLimit};

  struct Table {
    std::uint8_t shifts[256];  // Quick Search's
    std::uint64_t masks[256];
    std::uint32_t period;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_next_shifts(word_prefix(pattern), table.shifts);
    prepare_backward(pattern, table);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end);
    const std::uint32_t length = windows.length;
    for (std::uint64_t j = windows.first; j < windows.stop;) {
      const std::uint64_t state = table.masks[text[j]];
      if (state != 0) {
        j += Sbndm::read_window(table, windows, text, j, state, 1, emit);
      } else if (windows.stop - j > length) {
        j += length - 1 + table.shifts[text[j + length]];
      } else {
        return;
      }
    }
  }
};

}  // namespace trawl::matchers
