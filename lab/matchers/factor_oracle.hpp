// The factor oracle of a word (Allauzen, Crochemore and Raffinot 1999): an automaton with one state for each character
// of the word and at most twice as many transitions. It reads all factors (substrings) of the word and some other
// words, but only one that is as long as the word: the word itself. So a window can be read with the oracle of the
// reversed pattern from right to left. Where it stops, no match can begin earlier; if it does not stop, the pattern is
// there.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/transition_table.hpp"

namespace trawl::matchers {

/// The states of an oracle for the longest pattern.
inline constexpr std::uint32_t kOracleStates = kLongestPattern + 1;

/// Adds the oracle of the reversed pattern to a table that has the pattern's letters, but no rows. State i is reached
/// by the last i characters of the pattern.
///
///   add_reversed_oracle("aab", table);
///   table.at(0, 'b')                 // 1
///   table.at(table.at(0, 'a'), 'b')  // 0: "ba", which is "ab" from right to left, is not in "baa"
template <std::uint32_t kRows>
void add_reversed_oracle(std::string_view pattern, TransitionTable<kRows>& table) {
  table.add_rows(static_cast<std::uint32_t>(pattern.size()) + 1);
  std::vector<int> supply = {-1};  // for each state the one of the longest suffix that was read before
  for (auto c = pattern.rbegin(); c != pattern.rend(); ++c) {
    const auto state = static_cast<std::uint16_t>(supply.size());
    table.cell(state - 1u, *c) = state;
    int from = supply.back();
    for (; from >= 0 && table.cell(from, *c) == 0; from = supply[from]) {
      table.cell(from, *c) = state;
    }
    supply.push_back(from < 0 ? 0 : table.cell(from, *c));
  }
}

/// Reads a window to the left from `state` on, as far as the oracle goes. `left`: how many characters at the window's
/// begin were not read yet. Returns how many are not read now; 0: all are read.
template <std::uint32_t kRows, class Text>
TRAWL_HOST_DEVICE std::uint32_t read_to_left(const TransitionTable<kRows>& oracle, const Text& text,
                                             std::uint64_t window, std::uint32_t state, std::uint32_t left) {
  while (left > 0 && (state = oracle.at(state, text[window + left - 1])) != 0) {
    --left;
  }
  return left;
}

}  // namespace trawl::matchers
