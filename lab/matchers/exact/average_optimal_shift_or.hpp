// Average optimal Shift-Or (Fredriksson and Grabowski 2005, "Practical and optimal string matching"), q = 2: reads
// every second character of the text only. The pattern's characters 0, 2, 4, ... are one part and 1, 3, 5, ... the
// other. In a match, the characters that are read are one of the two parts. Shift-Or searches for both in one word, and
// where one ends, the whole window is compared.
#pragma once

#include <algorithm>

#include "base/bits.hpp"
#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/word_prefix.hpp"

namespace trawl::matchers {

/// With kSteps steps between two tests (AverageOptimalShiftOr: 1, FastAverageOptimalShiftOr: 4). A part has kSteps bits
/// at its upper end that a test looks at: the lowest is for a part that has just ended, the others for earlier steps.
template <unsigned kSteps>
struct SampledShiftOr {
  static constexpr unsigned kQ = 2;

  struct Table {
    std::uint64_t masks[256];
    std::uint64_t ends;  // the bits that a test looks at
    std::uint32_t part;  // characters of a part
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    const unsigned part = std::min(static_cast<unsigned>(pattern.size()) / kQ, kWordBits / kQ - (kSteps - 1));
    const unsigned bits = part + kSteps - 1;
    table.part = part;
    for (unsigned i = 0; i < kQ * part; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (i % kQ * bits + i / kQ);
      for (unsigned c = 0; c < 256; ++c) {
        table.masks[c] |= c == static_cast<unsigned char>(pattern[i]) ? 0 : bit;
      }
    }
    for (unsigned i = 0; part > 0 && i < kQ * kSteps; ++i) {
      table.ends |= std::uint64_t{1} << (i % kQ * bits + part - 1 + i / kQ);
    }
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m, part = table.part, bits = part + kSteps - 1;
    const std::uint64_t first = first_window(begin, m), ends = table.ends;
    if (part == 0) {
      return compare_windows(table.pattern, text, first, end, emit);
    }
    const std::uint64_t stop = WordPrefix(m, kQ * part).last_end(end);
    std::uint64_t state = ~std::uint64_t{0};
    for (std::uint64_t j = first; j < stop; j += kQ * kSteps) {
      state &= ~ends;
      if (j + kQ * (kSteps - 1) < stop) {
        TRAWL_UNROLL
        for (unsigned i = 0; i < kSteps; ++i) {
          state = state << 1 | table.masks[text[j + kQ * i]];
        }
      } else {
        for (unsigned i = 0; i < kSteps; ++i) {  // what a character read twice finds lies after the stretch
          state = state << 1 | table.masks[text[j + kQ * i < stop ? j + kQ * i : stop - 1]];
        }
      }
      for (std::uint64_t found = ~state & ends; found != 0; found &= found - 1) {
        const unsigned bit = lowest_bit(found), which = bit / bits, ago = bit % bits - (part - 1);
        const std::uint64_t last = j + kQ * (kSteps - 1 - ago);  // the last character of the part
        const std::uint64_t offset = which + kQ * (part - 1);    // its place in the pattern
        if (last >= first + offset && last - offset + m <= end && table.pattern.occurs(text, last - offset)) {
          emit(last - offset + m - 1);
        }
      }
    }
  }
};

struct AverageOptimalShiftOr : SampledShiftOr<1> {
  static constexpr MatcherFacts kFacts = {
      .name = "average-optimal-shift-or",
      .code = "aoso2",
      .title = "Shift-Or on every second character of the text",
      .authors = "Fredriksson and Grabowski",
      .year = 2005,
      .limits = "m = 1: compares every character; m > 64: searches the first 64 characters, then compares the rest"};
};

}  // namespace trawl::matchers
