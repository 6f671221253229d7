// Which of many words differ in few bases: compares each with all others, many at a time.
//
//   // A word has its bases in two planes: bit i of the lower and of the upper half of the number are base i.
//   const std::uint32_t acgt = 0b1010 | 0b1100 << 16;
//   const std::uint32_t acga = 0b0010 | 0b0100 << 16;
//   std::vector<std::uint32_t> words{acgt}, others(WordPairs::kTogether), weights(WordPairs::kTogether), sums(1);
//   others[0] = acgt, weights[0] = 5;
//   others[1] = acga, weights[1] = 2;
//   WordPairs{.most = 1}.count(WordSpans<std::uint32_t>{words, others, weights, sums});
//   sums[0] == 7
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trawl::mappability {

/// Words of at most 16 bases (T: 32 bits) or 32 bases (64 bits).
template <class T>
struct WordSpans {
  std::span<const T> words;
  std::span<const T> others;   // a multiple of WordPairs::kTogether
  std::span<const T> weights;  // of each of the others; 0 where there is none
  std::span<T> sums;           // of each of the words
};

struct WordPairs {
  static constexpr std::uint32_t kMost = 4;
  static constexpr std::size_t kTogether = 16;

  std::uint32_t most = 0;  // mismatches of a pair, at most kMost
  // Parts of the words, bit i for base i. A pair must differ in each of them.
  std::uint32_t parts = 0;
  std::uint32_t part[kMost] = {};

  /// Adds to sums[w] the weights of the others that make such a pair with word w.
  void count(const WordSpans<std::uint32_t>& spans) const;
  void count(const WordSpans<std::uint64_t>& spans) const;

  /// The same for one pair, which differs at these bases.
  bool allows(std::uint64_t differing) const {
    for (std::uint32_t p = 0; p < parts; ++p) {
      if ((differing & part[p]) == 0) {
        return false;
      }
    }
    return static_cast<std::uint32_t>(std::popcount(differing)) <= most;
  }
};

}  // namespace trawl::mappability
