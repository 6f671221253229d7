// Backward-Fast-Search (Cantone and Faro 2005, "Fast-Search algorithms: new efficient variants of the Boyer-Moore
// pattern-matching algorithm"): one table for both of Boyer and Moore's rules. The matched suffix moves to the next
// place in the pattern where the character before it is the one that differs in the text. With no matched suffix that
// is Horspool's shift.
#pragma once

#include <algorithm>

#include "lab/matchers/good_suffix.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct BackwardFastSearch {
  static constexpr MatcherFacts kFacts = {
      .name = "backward-fast-search",
      .code = "bfs",
      .title = "Right to left, one shift for the matched suffix and the letter before",
      .authors = "Cantone and Faro",
      .year = 2005};

  struct Row {                  // one for each number of characters that have matched
    std::uint16_t shifts[256];  // for the character before these
    std::uint16_t letter;       // of the pattern, before these; 256: none
  };
  struct Table {
    std::uint32_t m;
    Row rows[kLongestPattern + 1];
  };
  static std::size_t table_bytes(const Table& table) { return offsetof(Table, rows) + (table.m + 1) * sizeof(Row); }

  static void prepare(std::string_view pattern, Table& table) {
    const std::size_t m = pattern.size();
    const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(pattern[i]); };
    PositionValues lengths;
    SuffixShifts border_shifts;
    fill_suffix_lengths(pattern, lengths);
    fill_border_shifts(lengths, m, border_shifts);
    table.m = static_cast<std::uint32_t>(m);
    for (std::size_t matched = 0; matched <= m; ++matched) {
      Row& row = table.rows[matched];
      row.letter = matched < m ? letter(m - 1 - matched) : 256;
      std::fill(row.shifts, row.shifts + 256, border_shifts[matched]);
    }
    for (std::size_t i = 0; i + 1 < m; ++i) {
      if (lengths[i] <= i) {
        table.rows[lengths[i]].shifts[letter(i - lengths[i])] = static_cast<std::uint16_t>(m - 1 - i);
      }
    }
    table.rows[0].shifts[letter(m - 1)] = 0;  // it agrees
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.m;
    const Row* const rows = table.rows;
    for (std::uint64_t last = first_window(begin, m) + m - 1; last < end;) {
      if (const unsigned shift = rows[0].shifts[text[last]]; shift != 0) {
        last += shift;
        continue;
      }
      std::uint32_t matched = 1;
      while (matched < m && rows[matched].letter == text[last - matched]) {
        ++matched;
      }
      if (matched == m) {
        emit(last);
        last += rows[m].shifts[0];
      } else {
        last += rows[matched].shifts[text[last - matched]];
      }
    }
  }
};

}  // namespace trawl::matchers
