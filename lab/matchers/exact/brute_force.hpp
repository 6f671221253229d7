// Matchers of other kinds: brute force and what improves on it without a table of shifts, hashes, maximal suffixes, and
// buckets.
#pragma once

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// The maximal suffix of a prefix of a string; the prefix can grow. It is found from left to right with a constant
/// amount of memory.
///
///   MaximalSuffix suffix;
///   suffix.extend(string, length);  // "abcab": start = 2, period = 3, whole_periods = 5
struct MaximalSuffix {
  std::uint32_t start = 0;          // of the suffix
  std::uint32_t period = 1;         // of the suffix
  std::uint32_t whole_periods = 1;  // where the suffix's last whole period ends
  std::uint32_t matched = 0;        // characters after it, which begin another period

  /// `string[i]` for i < length is read. kReversed: the alphabet's order is reversed.
  template <bool kReversed = false, class String>
  TRAWL_HOST_DEVICE void extend(const String& string, std::uint32_t length) {
    while (whole_periods + matched < length) {
      const auto now = string[start + matched];
      const auto next = string[whole_periods + matched];
      if (now == next) {
        if (++matched == period) {
          whole_periods += period;
          matched = 0;
        }
      } else if (kReversed ? next > now : next < now) {
        whole_periods += matched + 1;
        matched = 0;
        period = whole_periods - start;
      } else {
        start = whole_periods;
        whole_periods = start + 1;
        matched = 0;
        period = 1;
      }
    }
  }
};

/// A matcher that needs nothing but the pattern derives from it.
struct PatternSearch {
  Pattern pattern;
};

/// Brute force: compares every window of the text with the pattern, from left to right, up to the first difference.
struct BruteForce : PatternSearch {
  static constexpr MatcherFacts kFacts = {"brute-force", "bf", "Compares every window from left to right"};
  TRAWL_HOST_DEVICE static void scan(const PatternSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    compare_windows(table.pattern, text, first_window(begin, table.pattern.m), end, emit);
  }
};

/// Not So Naive (Hancart 1993, "Analyse exacte et en moyenne d'algorithmes de recherche d'un motif dans un texte"):
/// compares the second character of the pattern first, then the others, then the first. What it then knows of the
/// second character of the window lets it move by two characters: after a difference if the pattern begins with two
/// equal letters, after an agreement if it does not.
struct NotSoNaive : PatternSearch {
  static constexpr MatcherFacts kFacts = {"not-so-naive", "nsn",
                                          "Brute force that moves by two if the second letter allows it", 1993,
                                          "m = 1: compares every character"};
  TRAWL_HOST_DEVICE static void scan(const PatternSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    Index window = first_window(begin, m);
    if (m == 1) {
      return compare_windows(table.pattern, text, window, end, emit);
    }
    const std::uint8_t letter = table.pattern[0], second = table.pattern[1];
    const unsigned after_difference = letter == second ? 2 : 1, after_agreement = letter == second ? 1 : 2;
    while (window + m <= end) {
      if (text[window + 1] != second) {
        window += after_difference;
        continue;
      }
      if (table.pattern.agrees(text, window, 2, m) && text[window] == letter) {
        emit(window + m - 1);
      }
      window += after_agreement;
    }
  }
};

/// Karp-Rabin (Karp and Rabin 1987, "Efficient randomized pattern-matching algorithms"). The hash of a window, a
/// polynomial of its characters, follows from that of the window before in constant time. Only windows with the
/// pattern's hash are compared with it. The paper takes the hash modulo a random prime. This is the usual version with
/// the polynomial of 2 modulo 2^32, which needs shifts and additions only.
struct KarpRabin {
  static constexpr MatcherFacts kFacts = {"karp-rabin", "kr",
                                          "Compares windows whose rolling hash is that of the pattern", 1987};
  std::uint32_t hash;    // of the pattern
  std::uint32_t weight;  // of the character that leaves the window: 2^m
  Pattern pattern;

  TRAWL_HOST_DEVICE static std::uint32_t append(std::uint32_t hash, std::uint32_t character) {
    return hash * 2 + character;
  }

  static void prepare(std::string_view pattern, KarpRabin& table) {
    table.weight = 1;
    for (const unsigned char c : pattern) {
      table.hash = append(table.hash, c);
      table.weight *= 2;
    }
  }

  TRAWL_HOST_DEVICE static void scan(const KarpRabin& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    const std::uint32_t wanted = table.hash;
    const std::uint32_t weight = table.weight;
    Index window = first_window(begin, m);
    if (end < window + m) {
      return;
    }
    std::uint32_t hash = 0;
    for (std::uint32_t i = 0; i < m; ++i) {
      hash = append(hash, text[window + i]);
    }
    for (;; ++window) {
      if (hash == wanted && table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
      if (window + m == end) {
        return;
      }
      hash = append(hash, text[window + m] - weight * text[window]);
    }
  }
};

/// String Matching on Ordered Alphabets (Crochemore 1992, "String-matching on ordered alphabets"): needs no preparation
/// and no table. After each comparison it knows the matched prefix and the character after it, a piece of the text. The
/// maximal suffix of this piece tells its period, or more than the half of it: that far the window moves.
struct OrderedAlphabets : PatternSearch {
  static constexpr MatcherFacts kFacts = {"ordered-alphabets", "smoa",
                                          "Moves by the period of the text that has just been compared", 1992};
  template <class Text>
  struct Piece {
    const Text& text;
    Index begin;
    TRAWL_HOST_DEVICE unsigned char operator[](std::uint32_t i) const { return text[begin + i]; }
  };

  TRAWL_HOST_DEVICE static void scan(const PatternSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    const std::uint8_t letter = table.pattern[0];
    std::uint32_t i = 0;   // characters of the window that match
    MaximalSuffix suffix;  // of these, if they are a part of the last piece
    for (Index window = first_window(begin, m); window + m <= end;) {
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
      const Piece piece{text, window};
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

/// Two Way (Crochemore and Perrin 1991, "Two-way string-matching"): cuts the pattern where its local period is that of
/// the whole pattern. It compares the right part from left to right, then the left part from right to left. It needs no
/// table, only the cut and the period, and reads at most 2 n characters.
struct TwoWay {
  static constexpr MatcherFacts kFacts = {"two-way", "tw",
                                          "Right part from left to right, left part from right to left", 1991};
  std::uint32_t cut;     // the right part's begin
  std::uint32_t period;  // the shift if the right part matches
  std::uint32_t kept;    // characters that are known to match after this shift
  Pattern pattern;

  static void prepare(std::string_view pattern, TwoWay& table) {
    const auto m = static_cast<std::uint32_t>(pattern.size());
    MaximalSuffix suffix, reversed;
    suffix.extend(pattern, m);
    reversed.extend<true>(pattern, m);
    const MaximalSuffix& right = suffix.start > reversed.start ? suffix : reversed;
    const bool periodic = pattern.substr(0, right.start) == pattern.substr(right.period, right.start);
    table.cut = right.start;
    table.period = periodic ? right.period : std::max(right.start, m - right.start) + 1;
    table.kept = periodic ? m - right.period : 0;
  }

  TRAWL_HOST_DEVICE static void scan(const TwoWay& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.pattern.m, cut = table.cut;
    std::uint32_t known = 0;  // characters at the window's begin that match
    for (Index window = first_window(begin, m); window + m <= end;) {
      std::uint32_t i = known > cut ? known : cut;
      while (i < m && table.pattern[i] == text[window + i]) {
        ++i;
      }
      if (i < m) {
        window += i - cut + 1;
        known = 0;
        continue;
      }
      i = cut;
      while (i > known && table.pattern[i - 1] == text[window + i - 1]) {
        --i;
      }
      if (i <= known) {
        emit(window + m - 1);
      }
      window += table.period;
      known = table.kept;
    }
  }
};

/// Tailed substring (Cantone and Faro 2004, "Searching for a substring with constant extra-space complexity"). A tailed
/// substring of the pattern has its last character nowhere else in it. The longest one gives a place (`tail`) and a
/// length: if the text has the tail's character at this place of the window, the window is compared and moves by the
/// length, otherwise it moves by 1. The paper finds the longest one during the search, to need no preparation; here
/// prepare() finds it, so that the stretches of a text share it.
struct TailedSubstring {
  static constexpr MatcherFacts kFacts = {"tailed-substring", "ts",
                                          "Looks for the last character of the longest tailed substring", 2004};
  std::uint32_t tail;    // where the longest tailed substring ends
  std::uint32_t length;  // of it
  Pattern pattern;

  static void prepare(std::string_view pattern, TailedSubstring& table) {
    std::uint32_t after[256] = {};  // after a character's last place, for the characters so far
    for (std::uint32_t i = 0; i < pattern.size(); ++i) {
      std::uint32_t& before = after[static_cast<unsigned char>(pattern[i])];
      if (i + 1 - before > table.length) {
        table.tail = i;
        table.length = i + 1 - before;
      }
      before = i + 1;
    }
  }

  TRAWL_HOST_DEVICE static void scan(const TailedSubstring& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    const std::uint32_t tail = table.tail;
    const std::uint32_t length = table.length;
    const std::uint8_t letter = table.pattern[tail];
    Index window = first_window(begin, m);
    while (window + m <= end) {
      if (text[window + tail] != letter) {
        ++window;
        continue;
      }
      if (table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
      window += length;
    }
  }
};

/// Skip search (Charras, Lecroq and Pehoushek 1998, "A very fast string matching algorithm for small alphabets and long
/// patterns"). A bucket for each character holds its places in the pattern. Each window contains exactly one of the
/// text's every m-th characters, so only these are read: for each place in the bucket of such a character the window
/// that has it there is compared.
struct SkipSearch {
  static constexpr MatcherFacts kFacts = {"skip-search", "skip",
                                          "Reads every m-th character, and compares where the pattern has it", 1998};
  std::uint16_t bucket[257];              // bucket[c] to bucket[c + 1]: the part of `places` for character c
  std::uint16_t places[kLongestPattern];  // in the pattern
  Pattern pattern;

  static void prepare(std::string_view pattern, SkipSearch& table) {
    std::uint16_t next[256] = {};
    for (const unsigned char c : pattern) {
      ++table.bucket[c + 1];
    }
    for (unsigned c = 0; c < 256; ++c) {
      next[c] = table.bucket[c];
      table.bucket[c + 1] = static_cast<std::uint16_t>(table.bucket[c] + table.bucket[c + 1]);
    }
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      table.places[next[static_cast<unsigned char>(pattern[i])]++] = static_cast<std::uint16_t>(i);
    }
  }

  TRAWL_HOST_DEVICE static void scan(const SkipSearch& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    for (Index j = first_window(begin, m) + m - 1; j < end; j += m) {
      const unsigned c = text[j];
      const unsigned last = table.bucket[c + 1];
      for (unsigned p = table.bucket[c]; p < last; ++p) {
        const Index window = j - table.places[p];
        if (window + m <= end && table.pattern.occurs(text, window)) {
          emit(window + m - 1);
        }
      }
    }
  }
};

/// Backward SNR DAWG matching (Faro and Lecroq 2012, "A fast suffix automata based algorithm for exact online string
/// matching"): searches for the longest substring of the pattern with no repeated characters (SNR). A text character
/// has at most one place in it, so the automaton of all its factors is an array. The text is read in steps of the
/// substring's length; where all of it is found, the pattern is compared. This is the version without q-grams; its
/// steps are at most as long as the number of letters, which is short for DNA.
struct BackwardSnrDawg {
  static constexpr MatcherFacts kFacts = {"backward-snr-dawg", "bsdm",
                                          "Skips with the longest part that has no letter twice", 2012};
  std::uint32_t first, length;  // of the substring
  std::uint16_t place[256];     // of a character: 1 for the first of the substring, 0 for none
  Pattern pattern;

  static void prepare(std::string_view pattern, BackwardSnrDawg& table) {
    std::uint32_t next[256] = {};  // the place after the last occurrence so far
    for (std::uint32_t first = 0, i = 0; i < pattern.size(); ++i) {
      std::uint32_t& after = next[static_cast<unsigned char>(pattern[i])];
      first = std::max(first, after);
      after = i + 1;
      if (i + 1 - first > table.length) {
        table.first = first;
        table.length = i + 1 - first;
      }
    }
    for (std::uint32_t i = 0; i < table.length; ++i) {
      table.place[table.pattern[table.first + i]] = static_cast<std::uint16_t>(i + 1);
    }
  }

  TRAWL_HOST_DEVICE static void scan(const BackwardSnrDawg& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m, first = table.first, length = table.length;
    const std::uint32_t after = first + length;
    if (end < m) {
      return;
    }
    const std::uint64_t last = end - (m - after);  // one after the last text position where the substring can end
    for (Index j = first_window(begin, m) + after - 1; j < last; j += length) {
      const std::uint32_t place = table.place[text[j]];
      if (place == 0) {
        continue;
      }
      std::uint32_t k = 1;
      while (k < place && text[j - k] == table.pattern[first + place - 1 - k]) {
        ++k;
      }
      if (k < place) {
        continue;
      }
      if (place < length) {
        j -= place;  // a prefix of the substring ends here
      } else if (table.pattern.occurs(text, j + 1 - after)) {
        emit(j + m - after);
      }
    }
  }
};

}  // namespace trawl::matchers
