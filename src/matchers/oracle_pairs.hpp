// What the extended backward oracle matchers share: a table of pairs of characters gives the oracle's state after its
// first two characters, so that most windows are left after one look. The matchers differ in how they store the pairs.
#pragma once

#include <cstdint>
#include <string_view>

#include "matchers/factor_oracle.hpp"

namespace trawl::matchers {

/// Calls set(first, second, state) for the pairs of characters that the oracle of the reversed pattern reads. A pattern
/// of one letter counts as a pair: the letter twice.
template <std::uint32_t kRows, class Set>
void set_oracle_pairs(std::string_view pattern, const TransitionTable<kRows>& oracle, Set&& set) {
  for (unsigned pair = 0; pair < 256 * 256; ++pair) {
    const auto first = static_cast<unsigned char>(pair >> 8), second = static_cast<unsigned char>(pair);
    const std::uint32_t state = oracle.at(0, first);
    if (state == 0) {
      pair |= 255;  // to the next first character
    } else if (pattern.size() == 1 && first == second) {
      set(first, second, state);
    } else if (oracle.at(state, second) != 0) {
      set(first, second, oracle.at(state, second));
    }
  }
}

/// Searches with pairs of the window's last character and the one before it. pair(last, before): the oracle's state
/// after them, or 0: then the next window begins with the last character.
template <std::uint32_t kRows, class Pair, class Text, class Emit>
TRAWL_HOST_DEVICE void scan_oracle_pairs(const TransitionTable<kRows>& oracle, std::uint32_t m, const Pair& pair,
                                         const Text& text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
  const std::uint32_t before = m > 1 ? m - 2 : 0;
  for (std::uint64_t window = first_window(begin, m); window + m <= end;) {
    const std::uint32_t state = pair(text[window + m - 1], text[window + before]);
    if (state == 0) {
      window += before + 1;
      continue;
    }
    const std::uint32_t left = read_to_left(oracle, text, window, state, before);
    if (left == 0) {
      emit(window + m - 1);
    }
    window += left > 0 ? left : 1;
  }
}

/// For forward pairs: no match contains both characters, but one may begin with the second.
inline constexpr std::uint16_t kBeginsAfter = 0xFFFF;

/// Calls set(last, after, state) for the pairs of a window's last character and the one after it. If `last` ends the
/// pattern, the state is that after `last`; otherwise the next windows only are of interest, and it is that after both,
/// or kBeginsAfter. For pairs that are not set, the next window begins after both.
template <std::uint32_t kRows, class Set>
void set_forward_pairs(std::string_view pattern, const TransitionTable<kRows>& oracle, Set&& set) {
  const auto first = static_cast<unsigned char>(pattern.front()), last = static_cast<unsigned char>(pattern.back());
  for (unsigned c = 0; c < 256; ++c) {
    set(static_cast<unsigned char>(c), first, kBeginsAfter);
  }
  if (pattern.size() > 1) {
    set_oracle_pairs(pattern, oracle, [&](unsigned char after, unsigned char before, std::uint32_t state) {
      set(before, after, static_cast<std::uint16_t>(state));
    });
  }
  for (unsigned c = 0; c < 256; ++c) {
    set(last, static_cast<unsigned char>(c), oracle.at(0, last));
  }
}

/// Searches with forward pairs.
template <std::uint32_t kRows, class Pair, class Text, class Emit>
TRAWL_HOST_DEVICE void scan_forward_pairs(const TransitionTable<kRows>& oracle, std::uint32_t m, const Pair& pair,
                                          const Text& text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
  std::uint64_t window = first_window(begin, m);
  while (window + m < end) {
    const std::uint32_t state = pair(text[window + m - 1], text[window + m]);
    if (state == 0) {
      window += m + 1;
      continue;
    }
    if (state == kBeginsAfter) {
      window += m;
      continue;
    }
    const std::uint32_t left = read_to_left(oracle, text, window, state, m - 1);
    if (left == 0) {
      emit(window + m - 1);
    }
    window += left > 0 ? left : 1;
  }
  if (window + m == end && read_to_left(oracle, text, window, 0, m) == 0) {  // the last window has nothing after it
    emit(end - 1);
  }
}

}  // namespace trawl::matchers
