// The suffix automaton of a word (Blumer et al. 1985), also called its DAWG (directed acyclic word graph): the smallest
// automaton that reads exactly the factors (substrings) of the word. The automaton of the reversed pattern reads a
// window from right to left.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/transition_table.hpp"

namespace trawl::matchers {

/// The most states, for the longest pattern.
inline constexpr std::uint32_t kSuffixStates = 2 * kLongestPattern;

/// The parts of a cell: the next state, and a mark that is set if what was read is a suffix of the word.
inline constexpr std::uint16_t kStateBits = 0x7FFF, kSuffixMark = 0x8000;
static_assert(kSuffixStates <= kStateBits);

/// What the construction knows of each state, besides its transitions. State 0 is the initial one.
struct SuffixStates {
  std::vector<std::uint16_t> length;  // of the longest word that leads to the state
  std::vector<std::uint16_t> end;     // where this word, and all others that lead to the state, ends first
  std::vector<std::uint16_t> link;    // the state of the longest suffix that leads to another state; for 0: 0
};

/// Adds the states of `word` to a table that has its letters, but no rows. The cells have no marks yet.
///
///   states = add_suffix_automaton("aab", table);
///   state = 0; for each character c of "ab": state = table.at(state, c);   // never 0, since "ab" is in "aab"
///   states.end[state]                                                      // 3: it ends there
template <std::uint32_t kRows>
SuffixStates add_suffix_automaton(std::string_view word, TransitionTable<kRows>& table) {
  SuffixStates states;
  std::vector<int> link;
  const auto add = [&](std::uint16_t length, std::uint16_t end, int to) {
    states.length.push_back(length);
    states.end.push_back(end);
    link.push_back(to);
    return static_cast<std::uint16_t>(table.add_rows(1));
  };
  std::uint16_t last = add(0, 0, -1);
  for (const char c : word) {
    const auto length = static_cast<std::uint16_t>(states.length[last] + 1);
    const std::uint16_t state = add(length, length, 0);
    int from = last;
    for (; from >= 0 && table.cell(from, c) == 0; from = link[from]) {
      table.cell(from, c) = state;
    }
    if (from >= 0) {
      const std::uint16_t old = table.cell(from, c);
      const auto shorter = static_cast<std::uint16_t>(states.length[from] + 1);
      link[state] = old;
      if (shorter != states.length[old]) {  // the words that are not longer than this get a state of their own
        const std::uint16_t copy = add(shorter, states.end[old], link[old]);
        table.copy_row(old, copy);
        link[state] = link[old] = copy;
        for (; from >= 0 && table.cell(from, c) == old; from = link[from]) {
          table.cell(from, c) = copy;
        }
      }
    }
    last = state;
  }
  link[0] = 0;
  states.link.assign(link.begin(), link.end());
  return states;
}

/// add_suffix_automaton(), with marks.
template <std::uint32_t kRows>
SuffixStates add_marked_suffix_automaton(std::string_view word, TransitionTable<kRows>& table) {
  SuffixStates states = add_suffix_automaton(word, table);
  std::vector<bool> suffix(states.length.size());
  std::uint16_t whole = 0;
  for (const char c : word) {
    whole = table.cell(whole, c);
  }
  for (std::uint16_t state = whole; state != 0; state = states.link[state]) {
    suffix[state] = true;
  }
  for (std::uint32_t i = 0; i < table.used; ++i) {
    table.cells[i] |= suffix[table.cells[i]] ? kSuffixMark : 0;
  }
  return states;
}

}  // namespace trawl::matchers
