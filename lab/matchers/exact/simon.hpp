// Simon (Simon 1993, "String matching algorithms and automata"): the pattern's automaton, of which only the steps that
// count are stored: from each state forward, and back to states other than the first. These steps back are at most m in
// all, so each state has a short list.
#pragma once

#include "lab/matchers/failure_function.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Simon {
  static constexpr MatcherFacts kFacts = {.name = "simon",
                                          .code = "simon",
                                          .title = "The automaton with short lists of steps",
                                          .authors = "Simon",
                                          .year = 1993};

  // Row s is about state s (s characters match), and row e about step back e.
  struct Row {
    std::uint16_t letter;      // leads to state s + 1; 256: none
    std::uint16_t first_step;  // the state's steps back are those before the next row's first_step
    std::uint16_t step_letter;
    std::uint16_t step_target;
  };
  struct Table {
    std::uint32_t m;
    Row rows[kLongestPattern + 2];
  };
  static std::size_t table_bytes(const Table& table) { return offsetof(Table, rows) + (table.m + 2) * sizeof(Row); }

  static void prepare(std::string_view pattern, Table& table) {
    Borders borders;
    fill_borders(pattern, borders);
    table.m = static_cast<std::uint32_t>(pattern.size());
    Row* const rows = table.rows;
    std::uint16_t steps = 0;
    for (std::uint32_t state = 0; state <= table.m; ++state) {
      rows[state].letter = state < table.m ? static_cast<unsigned char>(pattern[state]) : 256;
      rows[state].first_step = steps;
      const auto add = [&](std::uint16_t letter, int target) {
        if (letter != rows[state].letter) {
          rows[steps].step_letter = letter;
          rows[steps++].step_target = static_cast<std::uint16_t>(target);
        }
      };
      if (const int border = borders[state]; border >= 0) {  // where the state cannot go forward, it does as its border
        add(rows[border].letter, border + 1);
        for (unsigned step = rows[border].first_step; step < rows[border + 1].first_step; ++step) {
          add(rows[step].step_letter, rows[step].step_target);
        }
      }
      rows[state + 1].first_step = steps;
    }
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.m;
    const Row* const rows = table.rows;
    std::uint32_t state = 0;
    for (std::uint64_t j = first_window(begin, m); j < end; ++j) {
      const unsigned char c = text[j];
      if (rows[state].letter == c) {
        ++state;
      } else if (state > 0) {
        unsigned step = rows[state].first_step;
        const unsigned last = rows[state + 1].first_step;
        while (step < last && rows[step].step_letter != c) {
          ++step;
        }
        state = step < last ? rows[step].step_target : 0;
      }
      if (state == m) {
        emit(j);
      }
    }
  }
};

}  // namespace trawl::matchers
