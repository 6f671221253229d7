// Wide window (He, Fang and Sui 2005, "The wide window string matching algorithm"): looks at one character in m, the
// centre of a window of 2 m - 1 characters. From the centre it reads to the right with the pattern's suffix automaton,
// to find the longest suffix of the pattern that begins there; then to the left of the centre, with the automaton of
// the reversed pattern, as long as a match that contains the centre is possible.
#pragma once

#include "lab/matchers/string_automaton.hpp"
#include "lab/matchers/suffix_automaton.hpp"

namespace trawl::matchers {

struct WideWindow {
  static constexpr MatcherFacts kFacts = {.name = "wide-window",
                                          .code = "ww",
                                          .title = "Reads to the right and then to the left of each m-th character",
                                          .authors = "He, Fang and Sui",
                                          .year = 2005};

  struct Table {
    std::uint32_t m;
    std::uint32_t backward;  // the row of state 0 of the reversed pattern's automaton
    TransitionTable<kSuffixStates + kLongestPattern + 1> automata;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    table.automata.set_letters(pattern);
    add_marked_suffix_automaton(pattern, table.automata);
    table.backward = add_string_automaton(reversed(pattern), table.automata);
  }
  static std::size_t table_bytes(const Table& table) { return sizeof table - table.automata.unused_bytes(); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.m;
    for (std::uint64_t centre = first_window(begin, m) + m - 1; centre < end; centre += m) {
      std::uint32_t suffix = 0;  // the length of the longest suffix of the pattern that begins here
      std::uint32_t state = 0;
      for (std::uint64_t j = centre; j < end; ++j) {
        state = table.automata.at(state & kStateBits, text[j]);
        if (state == 0) {
          break;
        }
        suffix = (state & kSuffixMark) != 0 ? static_cast<std::uint32_t>(j + 1 - centre) : suffix;
      }
      for (std::uint32_t left = 0; suffix > left;) {  // characters to the left of the centre
        if (suffix == m) {
          emit(centre - left + m - 1);
        }
        if (++left == m) {
          break;
        }
        suffix = table.automata.at(table.backward + suffix, text[centre - left]);
      }
    }
  }
};

}  // namespace trawl::matchers
