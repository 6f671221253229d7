// The automaton that finds a word in a text with one step for each character (Knuth, Morris and Pratt 1977 build its
// parts; Aho, Hopcroft and Ullman 1974 the whole). Its state is the length of the longest prefix of the word that ends
// at the current character.
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/matchers/transition_table.hpp"

namespace trawl::matchers {

/// Adds the word's states, one more than its characters, to a table that has its letters. Returns the row of state 0.
///
///   const std::uint32_t row = add_string_automaton("aab", table);
///   state = 0; for each text character c: state = table.at(row + state, c);   // 3: "aab" ends here
template <std::uint32_t kRows>
std::uint32_t add_string_automaton(std::string_view word, TransitionTable<kRows>& table) {
  const std::uint32_t row = table.add_rows(static_cast<std::uint32_t>(word.size()) + 1);
  std::uint32_t state = row;
  for (const char c : word) {
    const std::uint32_t border = row + table.cell(state, c);  // the state after c without the first character
    table.cell(state, c) = static_cast<std::uint16_t>(state + 1 - row);
    ++state;
    table.copy_row(border, state);
  }
  return row;
}

}  // namespace trawl::matchers
