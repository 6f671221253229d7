// String Matching on Ordered Alphabets (Crochemore 1992, "String-matching on ordered alphabets"): needs no preparation
// and no table. After each comparison it knows the matched prefix and the character after it, a piece of the text. The
// maximal suffix of this piece tells its period, or more than the half of it: that far the window moves.
#pragma once

#include "lab/matchers/matcher.hpp"
#include "lab/matchers/maximal_suffix.hpp"

namespace trawl::matchers {

struct OrderedAlphabets {
  static constexpr MatcherFacts kFacts = {.name = "ordered-alphabets",
                                          .code = "smoa",
                                          .title = "Moves by the period of the text that has just been compared",
                                          .authors = "Crochemore",
                                          .year = 1992};

  struct Table {
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) { table.pattern.set(pattern); }

  template <class Text>
  struct Piece {
    const Text& text;
    std::uint64_t begin;
    TRAWL_HOST_DEVICE unsigned char operator[](std::uint32_t i) const { return text[begin + i]; }
  };

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    const std::uint8_t letter = table.pattern[0];
    std::uint32_t i = 0;   // characters of the window that match
    MaximalSuffix suffix;  // of these, if they are a part of the last piece
    for (std::uint64_t window = first_window(begin, m); window + m <= end;) {
      if (i == 0 && text[window] != letter) {
        ++window;
        continue;
      }
      while (i < m && table.pattern[i] == text[window + i]) {
        ++i;
      }
      if (i == m) {
        emit(window + m - 1);
        if (window + m == end) {
          return;
        }
      }
      const Piece<Text> piece{text, window};
      suffix.extend(piece, i + 1);
      const std::uint32_t before = suffix.start, period = suffix.period;
      std::uint32_t repeated = 0;  // characters before the suffix that agree with those a period later
      while (before <= period && repeated < before && piece[repeated] == piece[period + repeated]) {
        ++repeated;
      }
      if (repeated == before) {  // the suffix's period is the piece's
        window += period;
        i = i + 1 - period;
        if (suffix.whole_periods - before > period) {
          suffix.whole_periods -= period;
          continue;
        }
      } else {
        const std::uint32_t after = i + 1 - before;
        const std::uint32_t shorter = after < suffix.whole_periods ? after : suffix.whole_periods;
        window += (before > shorter ? before : shorter) + 1;
        i = 0;
      }
      suffix = {};
    }
  }
};

}  // namespace trawl::matchers
