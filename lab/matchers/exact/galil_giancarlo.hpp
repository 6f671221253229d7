// Galil-Giancarlo (Galil and Giancarlo 1992, "On the exact complexity of string matching: upper bounds"): Colussi's
// algorithm with another rule for the pattern's first run of equal letters. If nothing but a part of this run is known
// of the window, the run in the text is read to its end. Only the window whose run ends there can match. It compares at
// most 4/3 n characters.
#pragma once

#include <algorithm>

#include "lab/matchers/colussi_order.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct GalilGiancarlo {
  static constexpr MatcherFacts kFacts = {.name = "galil-giancarlo",
                                          .code = "gg",
                                          .title = "Colussi's order, and runs of the first letter are read at once",
                                          .authors = "Galil and Giancarlo",
                                          .year = 1992,
                                          .limits = "one letter repeated: counts the letters of each run in the text"};

  struct Table {
    std::uint32_t run;  // the number of equal letters at the pattern's begin
    std::uint16_t letter, after_run;
    OrderedPattern pattern;
  };
  static std::size_t table_bytes(const Table& table) { return offsetof(Table, pattern) + table.pattern.used_bytes(); }

  static void prepare(std::string_view pattern, Table& table) {
    table.run = static_cast<std::uint32_t>(std::min(pattern.find_first_not_of(pattern[0]), pattern.size()));
    table.letter = static_cast<unsigned char>(pattern[0]);
    table.after_run = table.run < pattern.size() ? static_cast<unsigned char>(pattern[table.run]) : 256;
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m, run = table.run, letter = table.letter, after_run = table.after_run;
    std::uint64_t window = first_window(begin, m);
    std::uint64_t known = window;  // the text before it is known
    if (run == m) {
      for (; known < end; ++known) {
        if (text[known] != letter) {
          window = known + 1;
        } else if (known + 1 - window >= m) {
          emit(known);
        }
      }
      return;
    }
    std::uint32_t step = 0;
    while (window + m <= end) {
      if (step != 0 || known <= window) {
        table.pattern.compare(text, window, known, step, emit);
        continue;
      }
      while (known < end && text[known] == letter) {
        ++known;
      }
      if (known == end) {
        return;
      }
      if (known - window >= run && text[known] == after_run) {
        window = known++ - run;
        step = 1;  // the first step compares the letter after the run
      } else {
        window = ++known;
      }
    }
  }
};

}  // namespace trawl::matchers
