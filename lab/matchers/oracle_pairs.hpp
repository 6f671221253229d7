// What the extended backward oracle matchers share: a table of pairs of characters gives the oracle's state after its
// first two characters, so that most windows are left after one look. The matchers differ in how they store the pairs,
// and in which pairs they take: the last two characters of the window, or (forward pairs) its last and the one after
// it. A matcher's table has the pattern's length `m`, the `oracle`, set_pair(a, b, state) and pair(a, b).
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/matchers/factor_oracle.hpp"

namespace trawl::matchers {

/// Calls set(first, second, state) for the pairs of characters that the oracle of the reversed pattern reads. A pattern
/// of one letter counts as a pair: the letter twice.
template <std::uint32_t kRows, class Set>
void for_each_oracle_pair(std::string_view pattern, const TransitionTable<kRows>& oracle, Set&& set) {
  for (unsigned pair = 0; pair < 256 * 256; ++pair) {
    const auto first = static_cast<unsigned char>(pair >> 8), second = static_cast<unsigned char>(pair);
    const std::uint16_t state = oracle.at(0, first);
    if (state == 0) {
      pair |= 255;  // to the next first character
    } else if (pattern.size() == 1 && first == second) {
      set(first, second, state);
    } else if (oracle.at(state, second) != 0) {
      set(first, second, oracle.at(state, second));
    }
  }
}

/// Sets table.pair(last, before) to the oracle's state after a window's last character and the one before it, or to 0:
/// then the next window begins with the last character.
template <class Table>
void set_oracle_pairs(std::string_view pattern, Table& table) {
  for_each_oracle_pair(pattern, table.oracle, [&](unsigned char last, unsigned char before, std::uint16_t state) {
    table.set_pair(last, before, state);
  });
}

/// Searches with these pairs.
template <class Table, class Text, class Emit>
TRAWL_HOST_DEVICE void scan_oracle_pairs(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                         Emit&& emit) {
  const std::uint32_t m = table.m, before = m > 1 ? m - 2 : 0;
  for (std::uint64_t window = first_window(begin, m); window + m <= end;) {
    const std::uint32_t state = table.pair(text[window + m - 1], text[window + before]);
    if (state == 0) {
      window += before + 1;
      continue;
    }
    const std::uint32_t left = read_to_left(table.oracle, text, window, state, before);
    if (left == 0) {
      emit(window + m - 1);
    }
    window += left > 0 ? left : 1;
  }
}

/// For forward pairs: no match contains both characters, but one may begin with the second.
inline constexpr std::uint16_t kBeginsAfter = 0xFFFF;

/// Sets table.pair(last, after) for a window's last character and the one after it. If `last` ends the pattern, the
/// state is that after `last`; otherwise this window cannot match and only the next ones are of interest: it is that
/// after both, or kBeginsAfter. For a pair that is 0, the next window begins after both.
template <class Table>
void set_forward_pairs(std::string_view pattern, Table& table) {
  const auto first = static_cast<unsigned char>(pattern.front()), last = static_cast<unsigned char>(pattern.back());
  for (unsigned c = 0; c < 256; ++c) {
    table.set_pair(static_cast<unsigned char>(c), first, kBeginsAfter);
  }
  if (pattern.size() > 1) {
    for_each_oracle_pair(pattern, table.oracle, [&](unsigned char after, unsigned char before, std::uint16_t state) {
      table.set_pair(before, after, state);
    });
  }
  for (unsigned c = 0; c < 256; ++c) {
    table.set_pair(last, static_cast<unsigned char>(c), table.oracle.at(0, last));
  }
}

/// Searches with forward pairs.
template <class Table, class Text, class Emit>
TRAWL_HOST_DEVICE void scan_forward_pairs(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                          Emit&& emit) {
  const std::uint32_t m = table.m;
  std::uint64_t window = first_window(begin, m);
  while (window + m < end) {
    const std::uint32_t state = table.pair(text[window + m - 1], text[window + m]);
    if (state == 0) {
      window += m + 1;
      continue;
    }
    if (state == kBeginsAfter) {
      window += m;
      continue;
    }
    const std::uint32_t left = read_to_left(table.oracle, text, window, state, m - 1);
    if (left == 0) {
      emit(window + m - 1);
    }
    window += left > 0 ? left : 1;
  }
  // The last window has nothing after it.
  if (window + m == end && read_to_left(table.oracle, text, window, 0, m) == 0) {
    emit(end - 1);
  }
}

}  // namespace trawl::matchers
