// Bit-parallel wide window (He, Fang and Sui 2005, "The wide window string matching algorithm"): wide window with words
// in place of automata. From each m-th character, the centre, it reads to the right, and notes all suffixes of the
// pattern that begin there. Then it reads to the left of the centre, and notes which of the prefixes that would
// complete them are there.
#pragma once

#include "lab/matchers/exact/shift_or.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/word_prefix.hpp"

namespace trawl::matchers {

struct BitParallelWideWindow {
  static constexpr MatcherFacts kFacts = {.name = "bit-parallel-wide-window",
                                          .code = "bww",
                                          .title = "Wide window with words in place of automata",
                                          .authors = "He, Fang and Sui",
                                          .year = 2005,
                                          .limits = kPrefixLimit};

  using Table = ShiftOr::Table;

  static void prepare(std::string_view pattern, Table& table) { ShiftOr::prepare(pattern, table); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const WordPrefix prefix(table.pattern.m);
    const std::uint32_t m = prefix.length;
    const std::uint64_t last = prefix.last_end(end);
    for (std::uint64_t centre = first_window(begin, table.pattern.m) + m - 1; centre < last; centre += m) {
      std::uint64_t begins = 0;  // bit i: the rest of the pattern is there if the match begins at centre - i
      // Bit i of `alive`: pattern[i] is the last character read, and those before it in the pattern were read before
      // it.
      std::uint64_t alive = ~std::uint64_t{0};
      for (std::uint32_t right = 0; right < m && centre + right < last; ++right) {
        alive &= ~table.masks[text[centre + right]];
        if (alive == 0) {
          break;
        }
        begins |= ((alive >> (m - 1)) & 1) << (m - 1 - right);
        alive <<= 1;
      }
      if ((begins & 1) != 0) {
        prefix.verify(table.pattern, text, centre + m - 1, emit);
      }
      alive = ~std::uint64_t{0};  // now the other way round
      for (std::uint32_t left = 1; (begins >>= 1) != 0; ++left) {
        alive &= ~table.masks[text[centre - left]];
        if (alive == 0) {
          break;
        }
        if ((alive & begins & 1) != 0) {
          prefix.verify(table.pattern, text, centre - left + m - 1, emit);
        }
        alive >>= 1;
      }
    }
  }
};

}  // namespace trawl::matchers
