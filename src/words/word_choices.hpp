// Which parts of a word must match, so that words can be sorted by them.
//
// Cut a word into n parts. Where two words have e mismatches, at least n - e of the parts match. So for each choice of
// n - e parts, the words that have the same bases in these parts are compared with each other (word_runs.hpp). With
// more parts that match, a pair would be seen for several choices: it counts for the first one only.
//
//   const std::vector<WordChoice> choices = best_word_choices(24, 2, 2'000'000'000);
//   choices.size() == 6                                     // two of four parts
//   choices[0].key_size == 12                               // bases that match
//   gathered(0b11'00'01, {{0, 2}, {4, 6}}) == 0b1101        // bits 0, 1, 4 and 5
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sequence/packed_letters.hpp"

namespace trawl::words {

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
  /// Writes the numbers of the others that make such a pair with `word` to `found`, ascending, and returns how many
  /// they are. There must be room for all of them.
  std::size_t find(std::uint32_t word, std::span<const std::uint32_t> others, std::uint32_t* found) const;
  std::size_t find(std::uint64_t word, std::span<const std::uint64_t> others, std::uint32_t* found) const;

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

/// Neighbouring bases of a word: [begin, end).
struct Bases {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Bits of a plane, moved together.
inline std::uint64_t gathered(std::uint64_t plane, const std::vector<Bases>& all) {
  std::uint64_t bits = 0;
  std::uint32_t at = 0;
  for (const Bases& some : all) {
    bits |= (plane >> some.begin & sequence::low_ones(some.end - some.begin)) << at;
    at += some.end - some.begin;
  }
  return bits;
}

/// Parts of a word that must match, and the others.
struct WordChoice {
  std::vector<Bases> key;
  std::vector<Bases> rest;
  WordPairs pairs;  // of the rest
  unsigned key_size = 0;
  unsigned half = 0;  // half the bits of a number with the rest
};

/// Those that cost least for words of `length` bases, each of which is compared with `asked` words that may differ in
/// `mismatches` bases. Empty if none is possible, or if all would cost more than `most` nanoseconds a word; by default
/// what a search for each would cost.
std::vector<WordChoice> best_word_choices(std::uint32_t length, std::uint32_t mismatches, std::uint64_t asked,
                                          double most = 5000);

}  // namespace trawl::words
