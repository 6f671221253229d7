// Reverse Colussi (Colussi 1994, "Fastest pattern matching in strings"): compares the last character first. While it
// differs, the window moves so that this character agrees, and the one where the last window ended agrees still. Then
// come the positions where a difference tells the shift exactly, the shortest shift first, then the others from left to
// right.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lab/matchers/failure_function.hpp"
#include "lab/matchers/good_suffix.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct ReverseColussi {
  static constexpr MatcherFacts kFacts = {.name = "reverse-colussi",
                                          .code = "rcol",
                                          .title = "The last letter first, then positions by the shift they lead to",
                                          .authors = "Colussi",
                                          .year = 1994};

  struct Row {
    std::uint16_t last_shifts[256];  // for the last character, after a shift by the row's number; 0: it agrees
    std::uint16_t letter;            // the row's step compares it
    std::uint16_t distance;          // from it to the window's last character
    std::uint16_t shift;             // if it differs; in row m: after a match
  };
  struct Table {
    std::uint32_t m;
    Row rows[kLongestPattern + 1];  // from 1 on
  };
  static std::size_t table_bytes(const Table& table) { return offsetof(Table, rows) + (table.m + 1) * sizeof(Row); }

  static void prepare(std::string_view pattern, Table& table) {
    const auto m = static_cast<std::uint32_t>(pattern.size());
    table.m = m;
    fill_steps(pattern, table.rows);
    const auto letter = [&](std::uint32_t i) { return static_cast<unsigned char>(pattern[i]); };
    std::uint32_t first[256];  // where each letter occurs first, and where it occurs again
    std::vector<std::uint32_t> again(m);
    std::fill(first, first + 256, m);
    for (std::uint32_t i = m; i-- > 0;) {
      again[i] = std::exchange(first[letter(i)], i);
    }
    std::fill(table.rows[0].last_shifts, table.rows[0].last_shifts + 256, static_cast<std::uint16_t>(m));
    for (std::uint32_t shift = 1; shift <= m; ++shift) {
      std::uint16_t* const shifts = table.rows[shift].last_shifts;
      std::uint16_t* const before = table.rows[0].last_shifts;  // with places before the last window's end
      if (shift < m) {
        before[letter(shift - 1)] = static_cast<std::uint16_t>(m - shift);
      }
      std::copy(before, before + 256, shifts);
      for (std::uint32_t i = shift < m ? first[letter(m - 1 - shift)] : m; i + shift + 1 < m; i = again[i]) {
        shifts[letter(i + shift)] = static_cast<std::uint16_t>(m - 1 - shift - i);
      }
      shifts[letter(m - 1)] = 0;
    }
  }

  static void fill_steps(std::string_view pattern, Row* rows) {
    const std::size_t m = pattern.size();
    PositionValues lengths, periods;
    fill_suffix_lengths(pattern, lengths);
    fill_next_periods(pattern, periods);
    std::vector<bool> done(m);
    const auto set = [&](std::size_t step, std::size_t distance, std::size_t shift) {
      rows[step].letter = static_cast<unsigned char>(pattern[m - 1 - distance]);
      rows[step].distance = static_cast<std::uint16_t>(distance);
      rows[step].shift = static_cast<std::uint16_t>(shift);
      done[distance] = true;
    };
    std::size_t step = 1;
    for (std::size_t shift = 1; shift < m; ++shift) {
      if (const std::size_t length = lengths[m - 1 - shift]; length > 0 && !done[length]) {
        set(step++, length, shift);
      }
    }
    for (std::size_t distance = m - 1; distance > 0; --distance) {
      if (!done[distance]) {
        set(step++, distance, periods[m - 1 - distance]);
      }
    }
    rows[m].shift = periods[0];
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.m;
    const Row* const rows = table.rows;
    std::uint32_t shift = m;  // the last one
    for (std::uint64_t last = first_window(begin, m) + m - 1; last < end; last += shift) {
      if (const std::uint32_t by_last = rows[shift].last_shifts[text[last]]; by_last != 0) {
        shift = by_last;
        continue;
      }
      std::uint32_t step = 1;
      while (step < m && text[last - rows[step].distance] == rows[step].letter) {
        ++step;
      }
      if (step == m) {
        emit(last);
      }
      shift = rows[step].shift;
    }
  }
};

}  // namespace trawl::matchers
