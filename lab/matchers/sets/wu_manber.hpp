// Wu-Manber (1994, "A fast algorithm for multi-pattern searching"). A window has as many characters as the shortest
// pattern has. SHIFT says for the window's last block of B characters how far the window can move: to the next place
// where the block occurs in a pattern. If that is 0, HASH has the patterns that have this block there. They are sorted
// by PREFIX, the hash of their first B' characters, so that only those with the window's prefix are compared.
//
// For patterns of GATTACA and TACATAC, B = 3: SHIFT[ACA] = 0, SHIFT[TAC] = 0, SHIFT[GAT] = 4, SHIFT[GGG] = 5.
//
// The hash of a block has its letters' numbers beside each other, 2 bits each for DNA, as in Kouzinopoulos et al. 2012.
// Characters that no pattern has count as the first letter: they cost time, but no occurrence is lost or invented.
#pragma once

#include <algorithm>
#include <bit>

#include "lab/matchers/sets/set_matcher.hpp"

namespace trawl::matchers::sets {

/// With the blocks that Kouzinopoulos et al. 2012 use.
struct WuManber {
  static constexpr MatcherFacts kFacts = {
      "wu-manber", "", "Shifts by the window's last 3 characters; HASH, and PREFIX of 2 characters", 1994,
      "a block has at most as many characters as the shortest pattern, and a prefix only those before it"};
  struct Numbers {
    std::uint32_t window = 0;  // characters
    std::uint64_t longest = 0;
    std::uint32_t block = 0;        // B
    std::uint32_t prefix = 0;       // B'
    std::uint32_t letter_bits = 0;  // of a letter's number
    std::uint32_t prefix_bits = 0;  // of the prefix's hash that is used
    std::uint32_t block_mask = 0;
  };

  template <template <class> class Array>
  struct Tables : Numbers {
    Array<std::uint8_t> codes;     // the number of each character
    Array<std::uint8_t> shift;     // SHIFT: of each block
    Array<std::uint32_t> bucket;   // HASH and PREFIX: the first candidate of each block and prefix
    Array<std::uint32_t> pattern;  // of each candidate
    Array<std::uint64_t> offset;   // of each candidate in `letters`, and the end of the last
    Array<std::uint8_t> letters;
    auto arrays() { return std::tie(codes, shift, bucket, offset, letters, pattern); }
    auto arrays() const { return std::tie(codes, shift, bucket, offset, letters, pattern); }
  };

  static void prepare(const PatternSet& set, Tables<HostArray>& tables) { fill(set, 3, tables); }

  /// The hash of the `count` characters of `text` that end at `j`.
  TRAWL_HOST_DEVICE static std::uint32_t hash(const auto& tables, const auto& text, Index j, std::uint32_t count) {
    std::uint32_t hash = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      hash |= static_cast<std::uint32_t>(tables.codes[text[j - i]]) << (i * tables.letter_bits);
    }
    return hash & tables.block_mask;
  }

  /// Where the candidates for a window begin in `bucket`.
  TRAWL_HOST_DEVICE static std::uint32_t bucket_of(const auto& tables, const auto& text, Index window,
                                                   std::uint32_t block_hash) {
    if (tables.prefix_bits == 0) {
      return block_hash;
    }
    const std::uint32_t prefix = hash(tables, text, window + tables.prefix - 1, tables.prefix);
    return block_hash << tables.prefix_bits | (prefix & ((1u << tables.prefix_bits) - 1));
  }

  TRAWL_HOST_DEVICE static void scan(const auto& tables, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = tables.window;
    Index j = first_window(begin, tables.longest) + m - 1;
    while (j < end) {
      const std::uint32_t block = hash(tables, text, j, tables.block);
      const std::uint32_t shift = tables.shift[block];
      if (shift != 0) {
        j += shift;
        continue;
      }
      const Index window = j + 1 - m;
      const std::uint32_t bucket = bucket_of(tables, text, window, block);
      const std::uint32_t last = tables.bucket[bucket + 1];
      for (std::uint32_t candidate = tables.bucket[bucket]; candidate < last; ++candidate) {
        const std::uint64_t offset = tables.offset[candidate];
        const std::uint64_t length = tables.offset[candidate + 1] - offset;
        const std::uint64_t after = window + length;
        if (after > begin && after <= end && is_here(tables, text, window, offset, length)) {
          emit(tables.pattern[candidate], after - 1);
        }
      }
      ++j;
    }
  }

 protected:
  static void fill(const PatternSet& set, std::uint32_t block, Tables<HostArray>& tables);

 private:
  TRAWL_HOST_DEVICE static bool is_here(const auto& tables, const auto& text, Index window, std::uint64_t offset,
                                        std::uint64_t length) {
    std::uint64_t i = 0;
    while (i < length && tables.letters[offset + i] == text[window + i]) {
      ++i;
    }
    return i == length;
  }
};

/// With the blocks that Wu and Manber advise for large sets: B = log_c(2 M) for c letters and patterns of M characters
/// together, so that few of the blocks of a text occur in the patterns.
struct WuManberLong : WuManber {
  static constexpr MatcherFacts kFacts = {"wu-manber-long", "",
                                          "The same, with blocks so long that few of them occur in a pattern", 1994,
                                          "a block has at most as many characters as the shortest pattern"};
  static void prepare(const PatternSet& set, Tables<HostArray>& tables);
};

}  // namespace trawl::matchers::sets
