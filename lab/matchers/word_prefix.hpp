// How a bit-parallel matcher takes patterns that are longer than a word of 64 bits: it searches for their first 64
// characters, and compares the rest where these occur.
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/matchers/pattern.hpp"

namespace trawl::matchers {

/// The bits of a word.
inline constexpr unsigned kWordBits = 64;

/// For MatcherFacts::limits.
inline constexpr const char* kPrefixLimit = "m > 64: searches the first 64 characters, then compares the rest";

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
  TRAWL_HOST_DEVICE std::uint64_t last_end(std::uint64_t end) const { return end > rest ? end - rest : 0; }

  /// Calls emit() with the end of the match if the whole pattern occurs where its prefix ends at `j`.
  template <class Text, class Emit>
  TRAWL_HOST_DEVICE void verify(const Pattern& pattern, const Text& text, std::uint64_t j, Emit&& emit) const {
    if (pattern.agrees(text, j + 1 - length, length, pattern.m)) {
      emit(j + rest);
    }
  }
};

}  // namespace trawl::matchers
