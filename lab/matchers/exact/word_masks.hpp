// The masks of bit-parallel matchers: how they take patterns that are longer than a word, and the masks of those that
// read backward (BNDM), of long patterns whose characters share bits (LBNDM, BXS), and of factors (KSA, KBNDM).
#pragma once

#include "base/bits.hpp"
#include "lab/matchers/exact/shift_rules.hpp"

namespace trawl::matchers {

/// The bits of a word.
inline constexpr unsigned kWordBits = 64;

/// For MatcherFacts::limits.
inline constexpr const char* kPrefixLimit = "m > 64: searches the first 64 characters, then compares the rest";
inline constexpr const char* kSuperimposedLimit =
    "m > 64: several characters share a bit, as long as that keeps most windows out (3 for DNA); compares the others";
inline constexpr const char* kFactorLimit =
    "searches the longest prefix that can be cut into 64 factors with no character twice, then compares the rest";

/// The part of the pattern that is searched for. Some algorithms need bits for other things: then `limit` is less.
inline std::string_view word_prefix(std::string_view pattern, unsigned limit = kWordBits) {
  return pattern.substr(0, limit);
}

/// The lengths of a prefix, for scan().
///
///   const WordPrefix prefix(table.pattern.m);
///   for (j = first_window(begin, table.pattern.m); j < prefix.last_end(end); ++j)
///     if (the prefix ends at j) prefix.verify(table.pattern, text, j, emit);
struct WordPrefix {
  std::uint32_t length;  // of the prefix
  std::uint32_t rest;    // characters after it

  TRAWL_HOST_DEVICE explicit WordPrefix(std::uint32_t m, std::uint32_t limit = kWordBits)
      : length(m < limit ? m : limit), rest(m < limit ? 0 : m - limit) {}
  /// One after the last position where the prefix of a match in a stretch up to `end` can end.
  TRAWL_HOST_DEVICE Index last_end(Index end) const { return end > rest ? end - rest : 0; }
  /// Calls emit() with the end of the match if the whole pattern occurs where its prefix ends at `j`.
  TRAWL_HOST_DEVICE void verify(const Pattern& pattern, const auto& text, Index j, auto&& emit) const {
    if (pattern.agrees(text, j + 1 - length, length, pattern.m)) {
      emit(j + rest);
    }
  }
};

/// Sets bit `lowest` in masks[c] if c is the last character, bit `lowest` + 1 if it is the one before, and so on. For
/// "abb" and 0: a 100, b 011. All masks must be 0 before, or have bits below `lowest` only.
///
///   std::uint64_t state = masks[text[j]];        // a bit for each place of text[j]
///   state = (state << 1) & masks[text[j - 1]];   // a bit for each place of the two characters up to j
///
/// After m characters only the highest bit of the m can be left: the window is the pattern.
inline void fill_backward_masks(std::string_view pattern, unsigned lowest, std::uint64_t (&masks)[256]) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    masks[static_cast<unsigned char>(pattern[i])] |= std::uint64_t{1} << (lowest + pattern.size() - 1 - i);
  }
}

/// The state after the one to four characters that end at `j`.
template <unsigned kQ>
TRAWL_HOST_DEVICE std::uint64_t read_gram(const std::uint64_t (&masks)[256], const auto& text, Index j) {
  std::uint64_t state = masks[text[j]] << (kQ - 1);
  TRAWL_UNROLL
  for (unsigned i = 1; i < kQ; ++i) {
    state &= masks[text[j - i]] << (kQ - 1 - i);
  }
  return state;
}

/// The windows of the pattern's prefix in a stretch, each named by its last position.
///
///   const BackwardWindows windows(table.pattern.m, begin, end);
///   for (Index j = windows.first; j < windows.stop;) {
///     if (...) windows.verify(table.pattern, text, j, emit);  // the prefix is there
///     j += ...;
///   }
struct BackwardWindows : WordPrefix {
  Index first;  // the last position of the first window
  Index stop;   // one after the last window

  TRAWL_HOST_DEVICE BackwardWindows(std::uint32_t m, Index begin, Index end, std::uint32_t limit = kWordBits)
      : WordPrefix(m, limit), first(first_window(begin, m) + length - 1), stop(last_end(end)) {}
};

/// masks[c] has bit place(i) = 1 if pattern[i] == c: characters that share a bit all fit there, so a search is a
/// filter. Returns how full the masks of the pattern's characters are, from 0 to 1: for "abbb" with the places i % 2 it
/// is 7 of 8, since a has 01 and each b has 11.
template <class Place>
double fill_superimposed(std::string_view pattern, std::uint64_t (&masks)[256], Place&& place) {
  std::fill(masks, masks + 256, 0);
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << place(i);
    masks[static_cast<unsigned char>(pattern[i])] |= bit;
    used |= bit;
  }
  std::size_t ones = 0;
  for (const char c : pattern) {
    ones += popcount(masks[static_cast<unsigned char>(c)]);
  }
  return static_cast<double>(ones) / static_cast<double>(pattern.size() * popcount(used));
}

/// How many characters should share a bit: at most as many as a pattern of `m` characters needs, and only so many that
/// the masks are at most 60% full. fill(share) fills the masks and returns how full they are; the last call is for the
/// result.
template <class Fill>
std::uint32_t fill_shared(std::size_t m, Fill&& fill) {
  std::uint32_t share = 1;
  while (share * kWordBits < m && fill(share + 1) <= 0.6) {
    ++share;
  }
  fill(share);
  return share;
}

/// The automaton of Cantone, Faro and Giaquinta 2010, with one bit for a factor of the pattern instead of one for each
/// character. A factor has no character twice, so the factor and the character read last tell the place in the pattern.
/// "abac" has the factors "ab" and "ac". step() and the start of each search are the algorithm:
///
///   state = masks.members[c];                    // c has been read: a bit for each factor with c
///   state = masks.step(state, c, d);             // d has been read after it
///   (state & masks.lasts[d] & masks.whole()) != 0   // the pattern ends with the characters read
///
/// where c and d are classes: masks.class_of[text[j]].
struct FactorizedMasks {
  Pattern pattern;
  std::uint32_t length;            // characters that have a factor, from the pattern's begin
  std::uint32_t factors;           // 1 to 64
  std::uint32_t classes;           // 0: not in the pattern; the others are a letter each
  std::uint16_t class_of[256];     // of a character
  std::uint64_t members[257];      // [class]: factors that have it
  std::uint64_t lasts[257];        // [class]: factors that end with it
  std::uint64_t pairs[257 * 257];  // [class * classes + next class]: factors in which, or after which, the pair occurs

  TRAWL_HOST_DEVICE std::uint64_t whole() const { return std::uint64_t{1} << (factors - 1); }
  TRAWL_HOST_DEVICE std::uint64_t step(std::uint64_t state, std::uint32_t c, std::uint32_t d) const {
    const std::uint64_t pair = pairs[c * classes + d];
    return (state & pair) + (state & (pair & lasts[c]));  // a factor at its end hands over to the next
  }
  std::size_t used_bytes() const { return offsetof(FactorizedMasks, pairs) + classes * classes * sizeof pairs[0]; }

  /// Calls visit(character, factor) for the characters of `text`, as far as 64 factors take it.
  template <class Visit>
  static void for_each_factor(std::string_view text, Visit&& visit) {
    unsigned factor = 0, seen[256] = {};
    for (const char letter : text) {
      const auto c = static_cast<unsigned char>(letter);
      factor += seen[c] == factor + 1 ? 1 : 0;
      if (factor == kWordBits) {
        return;
      }
      seen[c] = factor + 1;
      visit(c, factor);
    }
  }

  /// `backward`: the automaton reads the pattern from right to left. All bytes must be 0 before.
  void prepare(std::string_view whole_pattern, bool backward) {
    pattern.set(whole_pattern);
    classes = 1;
    for_each_factor(whole_pattern, [&](unsigned char c, unsigned) {
      ++length;
      class_of[c] = static_cast<std::uint16_t>(class_of[c] == 0 ? classes++ : class_of[c]);
    });
    const std::string prefix(backward ? reversed(whole_pattern.substr(0, length)) : whole_pattern.substr(0, length));
    std::uint32_t before = 0;
    for_each_factor(prefix, [&](unsigned char letter, unsigned factor) {
      const std::uint32_t c = class_of[letter];
      const std::uint64_t bit = std::uint64_t{1} << factor;
      const bool new_factor = factor + 1 > factors && factor > 0;
      members[c] |= bit;
      lasts[before] |= new_factor ? bit >> 1 : 0;
      pairs[before * classes + c] |= new_factor ? bit >> 1 : bit;  // before the first character: row 0, not used
      factors = factor + 1;
      before = c;
    });
    lasts[before] |= std::uint64_t{1} << (factors - 1);
  }
};

}  // namespace trawl::matchers
