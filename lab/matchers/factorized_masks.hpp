// The automaton of Cantone, Faro and Giaquinta 2010, with one bit for a factor of the pattern instead of one for each
// character. A factor has no character twice, so the factor and the character read last tell the place in the pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/host_device.hpp"
#include "lab/matchers/pattern.hpp"
#include "lab/matchers/word_prefix.hpp"

namespace trawl::matchers {

/// For MatcherFacts::limits.
inline constexpr const char* kFactorLimit =
    "searches the longest prefix that can be cut into 64 factors with no character twice, then compares the rest";

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
      members[c] |= bit;
      if (factor + 1 > factors && factor > 0) {
        lasts[before] |= bit >> 1;
        pairs[before * classes + c] |= bit >> 1;
      } else {
        pairs[before * classes + c] |= bit;  // before the first character: row 0, which is not used
      }
      factors = factor + 1;
      before = c;
    });
    lasts[before] |= std::uint64_t{1} << (factors - 1);
  }
};

}  // namespace trawl::matchers
