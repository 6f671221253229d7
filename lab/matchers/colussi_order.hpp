// The order in which Colussi 1991 compares the characters of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lab/matchers/failure_function.hpp"

namespace trawl::matchers {

/// Firm positions (the paper's noholes) come first, from left to right: positions i where a difference leaves a border
/// of pattern[0, i) that another character follows. The others, the holes, come after them, from right to left. For
/// "abaab" the firm ones are 1, 3 and 4, then come 2 and 0.
///
/// Let it be the last member of a table, and let the matcher's table_bytes() add used_bytes().
struct OrderedPattern {
  struct Step {
    std::uint16_t position;  // in the pattern
    std::uint16_t letter;    // there
    std::uint16_t shift;     // of the window, if this step finds a difference
    std::uint16_t resume;    // the first step of the next window: the steps before it are known to agree
  };
  std::uint32_t m;
  std::uint32_t firm;               // the number of firm positions
  Step steps[kLongestPattern + 1];  // steps[m]: after a match

  std::size_t used_bytes() const { return offsetof(OrderedPattern, steps) + (m + 1) * sizeof(Step); }

  void set(std::string_view pattern) {
    Borders borders;
    std::uint16_t periods[kLongestPattern];
    std::uint16_t firm_before[kLongestPattern + 1] = {};  // the number of firm positions before each position
    fill_strict_borders(pattern, borders);
    fill_next_periods(pattern, periods);
    m = static_cast<std::uint32_t>(pattern.size());
    for (std::uint32_t i = 0; i < m; ++i) {
      firm_before[i + 1] = static_cast<std::uint16_t>(firm_before[i] + (borders[i] >= 0 ? 1 : 0));
    }
    firm = firm_before[m];
    const auto step = [&](std::uint32_t i, std::uint32_t kept) {  // `kept`: the known prefix of the next window
      return Step{static_cast<std::uint16_t>(i), static_cast<unsigned char>(pattern[i]), static_cast<std::uint16_t>(0),
                  firm_before[kept]};
    };
    for (std::uint32_t i = 0, hole = m; i < m; ++i) {
      Step& to = borders[i] >= 0 ? steps[firm_before[i]] : steps[--hole];
      to = step(i, borders[i] >= 0 ? static_cast<std::uint32_t>(borders[i]) : m - periods[i]);
      to.shift = static_cast<std::uint16_t>(borders[i] >= 0 ? i - borders[i] : periods[i]);
    }
    steps[m] = step(0, m - periods[0]);
    steps[m].shift = periods[0];
  }

  /// Compares the window from step `i` on, calls emit() if it matches, and moves it. `known`: the end of the part of
  /// the text that is known to agree with the window's holes.
  template <class Text, class Emit>
  TRAWL_HOST_DEVICE void compare(const Text& text, std::uint64_t& window, std::uint64_t& known, std::uint32_t& i,
                                 Emit&& emit) const {
    if (i == 0 && firm > 0) {  // the usual case; the next window begins with the same step
      if (text[window + steps[0].position] != steps[0].letter) {
        window += steps[0].shift;
        return;
      }
      i = 1;
    }
    while (i < firm && text[window + steps[i].position] == steps[i].letter) {
      ++i;
    }
    if (i >= firm) {
      while (i < m && window + steps[i].position >= known && text[window + steps[i].position] == steps[i].letter) {
        ++i;
      }
      if (i == m || window + steps[i].position < known) {
        emit(window + m - 1);
        i = m;
      }
      known = window + m;
    }
    window += steps[i].shift;
    i = steps[i].resume;
  }
};

}  // namespace trawl::matchers
