// Matchers that keep the state of the search in a word and read the text from left to right: bit i tells whether the
// first i + 1 characters of the pattern match and end at the current character.
#pragma once

#include "lab/matchers/exact/word_masks.hpp"

namespace trawl::matchers {

/// Reads each character of the text: the state is shifted, then ored with the mask of the character, where 0 is for a
/// prefix that matches, or (kAnd) masked with it, where 1 is for such a prefix.
template <bool kAnd>
struct ForwardSearch {
  std::uint64_t masks[256];
  Pattern pattern;

  static void prepare(std::string_view pattern, ForwardSearch& table) {
    fill_pattern_masks(word_prefix(pattern), table.masks);
    for (std::uint64_t& mask : table.masks) {
      mask = kAnd ? ~mask : mask;
    }
  }

  TRAWL_HOST_DEVICE static void scan(const ForwardSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const WordPrefix prefix(table.pattern.m);
    const Index last = prefix.last_end(end);
    const std::uint64_t whole = std::uint64_t{1} << (prefix.length - 1);
    std::uint64_t state = kAnd ? 0 : ~std::uint64_t{0};
    for (Index j = first_window(begin, table.pattern.m); j < last; ++j) {
      const std::uint64_t mask = table.masks[text[j]];
      state = kAnd ? (state << 1 | 1) & mask : state << 1 | mask;
      if (((state & whole) != 0) == kAnd) {
        prefix.verify(table.pattern, text, j, emit);
      }
    }
  }
};

/// Shift-Or (Baeza-Yates and Gonnet 1992, "A new approach to text searching").
struct ShiftOr : ForwardSearch<false> {
  static constexpr MatcherFacts kFacts = {
      "shift-or", "so", "One bit-parallel word that is shifted and ored with a mask", 1992, kPrefixLimit};
};

/// Shift-And (Baeza-Yates and Gonnet 1992, "A new approach to text searching", in the form of Wu and Manber 1992): a
/// new match must be started in each step, where Shift-Or gets it from the shift.
struct ShiftAnd : ForwardSearch<true> {
  static constexpr MatcherFacts kFacts = {"shift-and", "sa", "One bit-parallel word that is shifted and masked", 1992,
                                          kPrefixLimit};
};

/// Average optimal Shift-Or with q = 2: reads every second character of the text only. The pattern's characters 0, 2,
/// 4, ... are one part and 1, 3, 5, ... the other. In a match, the characters that are read are one of the two parts.
/// Shift-Or searches for both in one word, and where one ends, the whole window is compared. kSteps steps are made
/// between two tests; a part has kSteps bits at its upper end that a test looks at: the lowest is for a part that has
/// just ended, the others for earlier steps.
template <unsigned kSteps>
struct SampledShiftOr {
  static constexpr unsigned kQ = 2;
  std::uint64_t masks[256];
  std::uint64_t ends;  // the bits that a test looks at
  std::uint32_t part;  // characters of a part
  Pattern pattern;

  static void prepare(std::string_view pattern, SampledShiftOr& table) {
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
  }

  TRAWL_HOST_DEVICE static void scan(const SampledShiftOr& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m, part = table.part, bits = part + kSteps - 1;
    const Index first = first_window(begin, m);
    const std::uint64_t ends = table.ends;
    if (part == 0) {
      return compare_windows(table.pattern, text, first, end, emit);
    }
    const Index stop = WordPrefix(m, kQ * part).last_end(end);
    std::uint64_t state = ~std::uint64_t{0};
    for (Index j = first; j < stop; j += kQ * kSteps) {
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
        const Index last = j + kQ * (kSteps - 1 - ago);        // the last character of the part
        const std::uint64_t offset = which + kQ * (part - 1);  // its place in the pattern
        if (last >= first + offset && last - offset + m <= end && table.pattern.occurs(text, last - offset)) {
          emit(last - offset + m - 1);
        }
      }
    }
  }
};

/// Average optimal Shift-Or (Fredriksson and Grabowski 2005, "Practical and optimal string matching").
struct AverageOptimalShiftOr : SampledShiftOr<1> {
  static constexpr MatcherFacts kFacts = {
      "average-optimal-shift-or", "aoso2", "Shift-Or on every second character of the text", 2005,
      "m = 1: compares every character; m > 64: searches the first 64 characters, then compares the rest"};
};

/// Fast average optimal Shift-Or (Fredriksson and Grabowski 2005, "Practical and optimal string matching"): with its
/// loop unrolled. Spare bits above each part of the pattern remember in which of four steps the part ended.
struct FastAverageOptimalShiftOr : SampledShiftOr<4> {
  static constexpr MatcherFacts kFacts = {
      "fast-average-optimal-shift-or", "faoso2",
      "Shift-Or on every second character of the text, with one test for four steps", 2005,
      "m = 1: compares every character; m > 58: searches the first 58 characters, then compares the rest"};
};

/// Shift-And on factors (KSA; Cantone, Faro and Giaquinta 2010, "A compact representation of nondeterministic (suffix)
/// automata for the bit-parallel approach"): one bit for each factor of the pattern that has no character twice, so
/// that longer patterns fit in a word.
struct FactorizedShiftAnd : FactorizedMasks {
  static constexpr MatcherFacts kFacts = {
      "factorized-shift-and", "ksa", "Shift-And with a bit for each factor of distinct characters", 2010, kFactorLimit};

  static void prepare(std::string_view pattern, FactorizedMasks& table) { table.prepare(pattern, false); }

  TRAWL_HOST_DEVICE static void scan(const FactorizedMasks& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const WordPrefix prefix(table.pattern.m, table.length);
    const Index last = prefix.last_end(end);
    const std::uint64_t whole = table.whole();
    const std::uint32_t start = table.class_of[table.pattern[0]];
    std::uint64_t state = 0;
    std::uint32_t before = 0;
    for (Index j = first_window(begin, table.pattern.m); j < last; ++j) {
      const std::uint32_t c = table.class_of[text[j]];
      state = table.step(state, before, c) | (c == start ? 1 : 0);
      if ((state & table.lasts[c] & whole) != 0) {
        prefix.verify(table.pattern, text, j, emit);
      }
      before = c;
    }
  }
};

/// Forward nondeterministic DAWG matching (Holub and Durian 2005, talk "Fast variants of bit parallel approach to
/// suffix automata"): starts at the window's last character with all positions of the pattern alive and reads to the
/// right, as Shift-Or does, until no position is alive: then no match contains the current character, and the next
/// window begins after it. While fewer than m characters were read, the beginning of a match has to be compared.
struct ForwardNondeterministicDawg : ShiftOr {
  static constexpr MatcherFacts kFacts = {"forward-nondeterministic-dawg", "fndm",
                                          "Shift-Or from each window's end, until no position is alive", 2005,
                                          kPrefixLimit};

  TRAWL_HOST_DEVICE static void scan(const ForwardSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    constexpr std::uint64_t kDead = ~std::uint64_t{0};
    const WordPrefix prefix(table.pattern.m);
    const std::uint32_t m = prefix.length;
    const Index last = prefix.last_end(end);
    for (Index j = first_window(begin, table.pattern.m) + m - 1; j < last; j += m) {
      std::uint64_t state = table.masks[text[j]];
      for (std::uint32_t unread = m - 1; state != kDead; unread -= unread > 0 ? 1 : 0) {
        if ((state >> (m - 1) & 1) == 0 && table.pattern.agrees(text, j + 1 - m, 0, unread)) {
          prefix.verify(table.pattern, text, j, emit);
        }
        if (++j >= last) {
          return;
        }
        state = state << 1 | table.masks[text[j]];
      }
    }
  }
};

/// Bit-parallel wide window (He, Fang and Sui 2005, "The wide window string matching algorithm"): WideWindow with words
/// in place of automata. From each m-th character, the centre, it reads to the right, and notes all suffixes of the
/// pattern that begin there; then to the left of the centre, and notes which of the prefixes that would complete them
/// are there.
struct BitParallelWideWindow : ShiftOr {
  static constexpr MatcherFacts kFacts = {"bit-parallel-wide-window", "bww",
                                          "Wide window with words in place of automata", 2005, kPrefixLimit};

  TRAWL_HOST_DEVICE static void scan(const ForwardSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const WordPrefix prefix(table.pattern.m);
    const std::uint32_t m = prefix.length;
    const Index last = prefix.last_end(end);
    for (Index centre = first_window(begin, table.pattern.m) + m - 1; centre < last; centre += m) {
      std::uint64_t begins = 0;  // bit i: the rest of the pattern is there if the match begins at centre - i
      // Bit i of `alive`: pattern[i] is the last character read, and those before it in the pattern were read before
      // it.
      std::uint64_t alive = ~std::uint64_t{0};
      for (std::uint32_t right = 0; right < m && centre + right < last; ++right) {
        alive &= ~table.masks[text[centre + right]];
        if (alive == 0) {
          break;
        }
        begins |= ((alive >> (m - 1)) & 1) << (m - 1 - right);
        alive <<= 1;
      }
      if ((begins & 1) != 0) {
        prefix.verify(table.pattern, text, centre + m - 1, emit);
      }
      alive = ~std::uint64_t{0};  // now the other way round
      for (std::uint32_t left = 1; (begins >>= 1) != 0; ++left) {
        alive &= ~table.masks[text[centre - left]];
        if (alive == 0) {
          break;
        }
        if ((alive & begins & 1) != 0) {
          prefix.verify(table.pattern, text, centre - left + m - 1, emit);
        }
        alive >>= 1;
      }
    }
  }
};

}  // namespace trawl::matchers
