// Apostolico-Giancarlo (Apostolico and Giancarlo 1986, "The Boyer-Moore-Galil string searching strategies revisited"):
// Boyer-Moore that remembers, for each window, how long a suffix of the pattern has matched at its end. When a later
// window comes to such an end, the pattern's own common suffixes tell how the comparison goes on: a matched part is not
// read again.
#pragma once

#include "lab/matchers/boyer_moore_table.hpp"

namespace trawl::matchers {

struct ApostolicoGiancarlo {
  static constexpr MatcherFacts kFacts = {.name = "apostolico-giancarlo",
                                          .code = "ag",
                                          .title = "Boyer-Moore that never compares a matched part again",
                                          .authors = "Apostolico and Giancarlo",
                                          .year = 1986,
                                          .limits = "remembers the last 16 windows that have matched something"};

  struct Table {
    PositionValues common_suffix;
    BoyerMooreTable rules;
  };
  static std::size_t table_bytes(const Table& table) {
    return sizeof table - sizeof table.rules.pattern + table.rules.pattern.used_bytes();
  }

  static void prepare(std::string_view pattern, Table& table) {
    fill_suffix_lengths(pattern, table.common_suffix);
    table.rules.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    constexpr unsigned kWindows = 16, kLengthBits = 13;
    std::uint64_t memory[kWindows] = {};  // the end of a window and the length that matched; 0: none
    unsigned newest = 0;
    const int m = static_cast<int>(table.rules.pattern.m);
    for (std::uint64_t stop = first_window(begin, table.rules.pattern.m) + m; stop <= end;) {
      int left = m;  // characters of the window that are not yet compared
      for (unsigned age = 0;; ++age) {
        // Compares as far as the next end in the memory.
        const std::uint64_t seen = age < kWindows ? memory[(newest - age) % kWindows] : 0;
        const std::uint64_t distance = stop - (seen >> kLengthBits);
        const int next = distance < static_cast<unsigned>(m) ? m - static_cast<int>(distance) : 0;
        if (next > left) {  // jumped over
          continue;
        }
        while (left > next && table.rules.pattern[left - 1] == text[stop - 1 - (m - left)]) {
          --left;
        }
        if (left > next || left == 0) {
          break;
        }
        const int matched = static_cast<int>(seen & ((1u << kLengthBits) - 1));
        const int common = table.common_suffix[left - 1];
        left -= matched < common ? matched : common;
        if (matched != common) {
          break;
        }
      }
      if (left != m) {
        memory[++newest % kWindows] = stop << kLengthBits | static_cast<unsigned>(m - left);
      }
      if (left == 0) {
        emit(stop - 1);
        stop += table.rules.good_suffix[m];
      } else {
        stop += table.rules.shift(m - left, text[stop - 1 - (m - left)]);
      }
    }
  }
};

}  // namespace trawl::matchers
