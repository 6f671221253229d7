// Which parts of a read must match, so that reads can be sorted by them (word_counts.hpp).
//
//   const std::vector<WordChoice> choices = best_word_choices({.length = 24, .max_edits = 2, .gaps = false},
//   1'000'000'000); choices.size() == 6                                     // two of four parts choices[0].key_size ==
//   12                               // bases that match gathered(0b11'00'01, {{0, 2}, {4, 6}}) == 0b1101        //
//   bits 0, 1, 4 and 5
#pragma once

#include <cstdint>
#include <vector>

#include "mappability/position_loci.hpp"
#include "mappability/word_pairs.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::mappability {

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

/// Parts of a read that must match, and the others.
struct WordChoice {
  std::vector<Bases> key;
  std::vector<Bases> rest;
  WordPairs pairs;  // of the rest
  unsigned key_size = 0;
  unsigned half = 0;  // half the bits of a number with the rest
};

/// Those that cost least, for about `count` reads. Empty if none is possible, or if all would cost more than a search.
std::vector<WordChoice> best_word_choices(const ReferenceReads& reads, std::uint64_t count);

}  // namespace trawl::mappability
