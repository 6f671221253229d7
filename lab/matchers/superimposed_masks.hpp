// Patterns longer than a word, superimposed on its 64 bits: several characters of the pattern share a bit, and each of
// them fits there. The search is then a filter; the more characters share a bit, the less it keeps out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bits.hpp"
#include "lab/matchers/word_prefix.hpp"

namespace trawl::matchers {

/// For MatcherFacts::limits.
inline constexpr const char* kSuperimposedLimit =
    "m > 64: several characters share a bit, as long as that keeps most windows out (3 for DNA); compares the others";

/// masks[c] has bit place(i) = 1 if pattern[i] == c. Returns how full the masks of the pattern's characters are, from 0
/// to 1: for "abbb" with the places i % 2 it is 7 of 8, since a has 01 and each b has 11.
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

}  // namespace trawl::matchers
