// The automata with which matchers read windows: of a string, of its factors (DAWG), and the factor oracle.
#pragma once

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// The transitions of an automaton over the letters of a pattern. A row belongs to a state and has a cell for each
/// letter of the pattern, and one for all other characters. So the table of a DNA pattern is small: 16 bytes a state.
/// Let it be the last member of a matcher's table, with the name `automaton`.
///
///   TransitionTable<2> table;                 // all bytes 0
///   table.set_letters("ACA");
///   const std::uint32_t first = table.add_rows(2);
///   table.cell(first, 'A') = 1;
///   table.at(first, 'A')                      // 1
///   table.at(first, 'X')                      // 0: no transition. No state has a transition back to state 0.
template <std::uint32_t kRows>
struct TransitionTable {
  std::uint32_t used;        // cells
  std::uint32_t row_shift;   // a row has 2^row_shift cells
  std::uint8_t column[256];  // the cell of a character
  std::uint16_t cells[std::size_t{kRows} * 256];

  /// The columns of the pattern's letters. Characters that are not in the pattern share the column after these.
  void set_letters(std::string_view pattern) {
    bool seen[256] = {};
    unsigned letters = 0;
    for (const char c : pattern) {
      const auto letter = static_cast<unsigned char>(c);
      if (!seen[letter]) {
        seen[letter] = true;
        column[letter] = static_cast<std::uint8_t>(letters++);
      }
    }
    for (unsigned c = 0; c < 256 && letters < 256; ++c) {
      column[c] = seen[c] ? column[c] : static_cast<std::uint8_t>(letters);
    }
    while ((1u << row_shift) < std::min(letters + 1, 256u)) {
      ++row_shift;
    }
  }
  std::uint32_t row_cells() const { return 1u << row_shift; }
  /// Adds rows of cells that are 0. Returns the first one.
  std::uint32_t add_rows(std::uint32_t count) {
    const std::uint32_t row = used >> row_shift;
    used += count << row_shift;
    return row;
  }
  void copy_row(std::uint32_t from, std::uint32_t to) {
    std::copy_n(cells + (from << row_shift), row_cells(), cells + (to << row_shift));
  }
  /// Adds values that are not transitions; no rows can be added after them. Returns the cell of the first one.
  template <class Values>
  std::uint32_t append(const Values& values) {
    const std::uint32_t first = used;
    used = static_cast<std::uint32_t>(std::copy(values.begin(), values.end(), cells + first) - cells);
    return first;
  }

  TRAWL_HOST_DEVICE std::uint32_t index(std::uint32_t row, unsigned char letter) const {
    return (row << row_shift) + column[letter];
  }
  TRAWL_HOST_DEVICE std::uint16_t at(std::uint32_t row, unsigned char letter) const {
    return cells[index(row, letter)];
  }
  std::uint16_t& cell(std::uint32_t row, char letter) { return cells[index(row, static_cast<unsigned char>(letter))]; }
  std::size_t unused_bytes() const { return sizeof cells - used * sizeof cells[0]; }
};

/// The automaton that finds a word in a text with one step for each character (Aho, Hopcroft and Ullman 1974). Its
/// state is the length of the longest prefix of the word that ends at the current character. Adds its states, one more
/// than the word's characters, to a table that has its letters. Returns the row of state 0.
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

/// The most states of a suffix automaton, for the longest pattern.
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

/// The suffix automaton of a word (Blumer et al. 1985), also called its DAWG (directed acyclic word graph): the
/// smallest automaton that reads exactly the factors (substrings) of the word. That of the reversed pattern reads a
/// window from right to left. Adds its states to a table that has the word's letters, but no rows. The cells have no
/// marks yet.
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

/// The states of a factor oracle for the longest pattern.
inline constexpr std::uint32_t kOracleStates = kLongestPattern + 1;

/// The factor oracle of a word (Allauzen, Crochemore and Raffinot 1999): an automaton with one state for each character
/// of the word. It reads all factors of the word and some other words, but only one that is as long as the word: the
/// word itself. So where it stops in a window, no match can begin earlier; if it does not stop, the pattern is there.
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
TRAWL_HOST_DEVICE std::uint32_t read_to_left(const auto& oracle, const auto& text, Index window, std::uint32_t state,
                                             std::uint32_t left) {
  while (left > 0 && (state = oracle.at(state, text[window + left - 1])) != 0) {
    --left;
  }
  return left;
}

}  // namespace trawl::matchers
