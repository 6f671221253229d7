// Turbo reverse factor (Crochemore, Czumaj, Gasieniec, Jarominek, Lecroq, Plandowski and Rytter 1994, "Speeding up two
// string-matching algorithms"): reverse factor that remembers the prefix u of the pattern with which the window begins.
// It reads from right to left only as far as u. If what it has read is in the pattern, but not at its end, it also
// reads a part of u: its last period if u is periodic, otherwise all but its first period. So no character is read more
// than twice. The displacement of what was read is the distance of its last occurrence from the pattern's end.
#pragma once

#include <vector>

#include "lab/matchers/failure_function.hpp"
#include "lab/matchers/suffix_automaton.hpp"

namespace trawl::matchers {

struct TurboReverseFactor {
  static constexpr MatcherFacts kFacts = {
      .name = "turbo-reverse-factor",
      .code = "trf",
      .title = "Reverse factor that remembers the prefix found before",
      .authors = "Crochemore, Czumaj, Gasieniec, Jarominek, Lecroq, Plandowski and Rytter",
      .year = 1994};

  struct Table {
    std::uint32_t m;
    std::uint32_t ends;     // the cell of SuffixStates::end of state 0
    std::uint32_t periods;  // the cell of the period of the prefix of length 0
    TransitionTable<kSuffixStates + (kSuffixStates + kLongestPattern) / 256 + 1> dawg;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    table.dawg.set_letters(pattern);
    table.ends = table.dawg.append(add_marked_suffix_automaton(reversed(pattern), table.dawg).end);
    Borders borders;
    fill_borders(pattern, borders);
    std::vector<std::uint16_t> periods(table.m + 1);
    for (std::uint32_t i = 1; i <= table.m; ++i) {
      periods[i] = static_cast<std::uint16_t>(static_cast<int>(i) - borders[i]);
    }
    table.periods = table.dawg.append(periods);
  }
  static std::size_t table_bytes(const Table& table) { return sizeof table - table.dawg.unused_bytes(); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.m;
    std::uint32_t known = 0;  // length of u
    for (std::uint64_t window = first_window(begin, m); window + m <= end;) {
      std::uint32_t state = 0, left = m, shift = m;
      const auto reads_down_to = [&](std::uint32_t stop) {
        for (std::uint32_t next; left > stop; state = next & kStateBits) {
          if ((next = table.dawg.at(state, text[window + left - 1])) == 0) {
            return false;
          }
          --left;
          shift = (next & kSuffixMark) != 0 ? left : shift;
        }
        return true;
      };
      const auto displacement = [&] { return table.dawg.cells[table.ends + state] - (m - left); };
      if (reads_down_to(known)) {
        if (displacement() == 0) {
          emit(window + m - 1);
          shift = table.dawg.cells[table.periods + m];
        } else {
          const std::uint32_t period = table.dawg.cells[table.periods + known];
          const bool periodic = 2 * period <= known;
          if (reads_down_to(periodic ? known - period : period) && periodic) {
            shift = displacement();
          }
        }
      }
      known = m - shift;
      window += shift;
    }
  }
};

}  // namespace trawl::matchers
