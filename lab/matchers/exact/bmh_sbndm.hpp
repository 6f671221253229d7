// BMH-SBNDM (Holub and Durian 2005, talk "Fast variants of bit parallel approach to suffix automata"): Horspool's loop
// over the last characters of windows, until one is the pattern's last character; then SBNDM tests the window.
#pragma once

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/exact/sbndm.hpp"

namespace trawl::matchers {

struct BmhSbndm {
  static constexpr MatcherFacts kFacts = {.name = "bmh-sbndm",
                                          .code = "bmh_sbndm",
                                          .title = "Horspool's skip loop with SBNDM as the test",
                                          .authors = "Holub and Durian",
                                          .year = 2005,
                                          .limits = kPrefixLimit};

  struct Table {
    std::uint8_t shifts[256];  // 0 for the last character
    std::uint64_t masks[256];
    std::uint32_t period;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_next_shifts(word_prefix(pattern), table.shifts);
    for (std::uint8_t& shift : table.shifts) {
      --shift;
    }
    prepare_backward(pattern, table);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end);
    for (std::uint64_t j = windows.first; j < windows.stop;) {
      std::uint32_t shift = table.shifts[text[j]];
      if (shift == 0) {
        shift = Sbndm::read_window(table, windows, text, j, table.masks[text[j]], 1, emit);
      }
      j += shift;
    }
  }
};

}  // namespace trawl::matchers
