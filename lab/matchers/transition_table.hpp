// The transitions of an automaton over the letters of a pattern. A row belongs to a state and has a cell for each
// letter of the pattern, and one for all other characters. So the table of a DNA pattern is small: 16 bytes a state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// Let it be the last member of a matcher's table.
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

  /// For table_bytes(): sizeof table - table.transitions.unused_bytes().
  std::size_t unused_bytes() const { return sizeof cells - used * sizeof cells[0]; }
};

}  // namespace trawl::matchers
