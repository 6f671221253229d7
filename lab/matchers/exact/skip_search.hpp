// Skip search (Charras, Lecroq and Pehoushek 1998, "A very fast string matching algorithm for small alphabets and long
// patterns"). A bucket for each character holds its places in the pattern. Each window contains exactly one of the
// text's every m-th characters, so only these are read: for each place in the bucket of such a character the window
// that has it there is compared.
#pragma once

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct SkipSearch {
  static constexpr MatcherFacts kFacts = {.name = "skip-search",
                                          .code = "skip",
                                          .title = "Reads every m-th character, and compares where the pattern has it",
                                          .authors = "Charras, Lecroq and Pehoushek",
                                          .year = 1998};

  struct Table {
    std::uint16_t bucket[257];              // bucket[c] to bucket[c + 1]: the part of `places` for character c
    std::uint16_t places[kLongestPattern];  // in the pattern
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
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
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    for (std::uint64_t j = first_window(begin, m) + m - 1; j < end; j += m) {
      const unsigned c = text[j];
      const unsigned last = table.bucket[c + 1];
      for (unsigned p = table.bucket[c]; p < last; ++p) {
        const std::uint64_t window = j - table.places[p];
        if (window + m <= end && table.pattern.occurs(text, window)) {
          emit(window + m - 1);
        }
      }
    }
  }
};

}  // namespace trawl::matchers
