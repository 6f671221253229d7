// Reverse factor, also called backward DAWG matching (Lecroq 1992, "A variation on the Boyer-Moore algorithm";
// Crochemore et al. 1994): reads each window from right to left with the suffix automaton of the reversed pattern, as
// long as what was read is a factor of the pattern. The longest prefix of the pattern that was met on the way is where
// the next window begins.
#pragma once

#include "lab/matchers/suffix_automaton.hpp"

namespace trawl::matchers {

struct ReverseFactor {
  static constexpr MatcherFacts kFacts = {.name = "reverse-factor",
                                          .code = "rf",
                                          .title = "Reads windows backward with a suffix automaton",
                                          .authors = "Lecroq",
                                          .year = 1992};

  struct Table {
    std::uint32_t m;
    TransitionTable<kSuffixStates> dawg;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    table.dawg.set_letters(pattern);
    add_marked_suffix_automaton(reversed(pattern), table.dawg);
  }
  static std::size_t table_bytes(const Table& table) { return sizeof table - table.dawg.unused_bytes(); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.m;
    for (std::uint64_t window = first_window(begin, m); window + m <= end;) {
      std::uint32_t state = 0;
      std::uint32_t shift = m;  // to the longest prefix so far
      for (std::uint32_t left = m; (state = table.dawg.at(state & kStateBits, text[window + left - 1])) != 0;) {
        if (--left == 0) {
          emit(window + m - 1);
          break;
        }
        shift = (state & kSuffixMark) != 0 ? left : shift;
      }
      window += shift;
    }
  }
};

}  // namespace trawl::matchers
