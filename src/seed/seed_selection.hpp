// Which pieces of a read to look up: pigeonhole seeds that are provably complete and as rare as possible.
//
// An alignment with at most e edits leaves at least one of e + 1 disjoint pieces of the read without an edit. Where
// ambiguous bases match nothing, each of them costs an edit of its own, so e minus their number are left for the
// pieces, and no piece holds one. Of all choices of e + 1 disjoint q-grams, dynamic programming takes the one with
// the smallest sum of frequencies in the reference (Xin et al. 2016, Optimal Seed Solver, with seeds of one length).
//
// Every seed then owns a stretch of the read around it; the stretches are disjoint too, so a hit need only be kept
// where the whole stretch matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seed/seed_index.hpp"
#include "sequence/encoded_read.hpp"

namespace trawl::seed {

struct Seed {
  std::uint32_t key = 0;            // as SeedIndex::find takes it
  std::uint32_t begin = 0;          // in the read
  std::uint32_t stretch_begin = 0;  // the stretch [stretch_begin, stretch_end) holds the seed
  std::uint32_t stretch_end = 0;
  std::uint32_t frequency = 0;  // hits in the reference (saturates)
};

/// The longest seed length up to `max_length` at which the read has `seeds` disjoint pieces without an ambiguous base;
/// 0 if there is none.
unsigned longest_seed_length(const sequence::EncodedRead& read, std::size_t seeds, unsigned max_length);

/// The distance between the begins to choose seeds from: 1, or more where the read leaves the seeds enough room.
unsigned widest_step(const sequence::EncodedRead& read, std::size_t seeds, unsigned length);

/// Chooses seeds read by read. In three steps, so that several reads can be under way while memory answers:
///   selection.begin(index, read, n, length);   // keys; asks for their table entries
///   selection.choose(index);                   // frequencies, dynamic programming
///   selection.seeds()                          // n seeds, in the order of the read
class SeedSelection {
 public:
  /// `length`: from longest_seed_length(read, seeds, index.q()), not 0. Seeds begin at multiples of `step`: 1, or up to
  /// widest_step(read, seeds, length).
  void begin(const SeedIndex& index, const sequence::EncodedRead& read, std::size_t seeds, unsigned length,
             unsigned step);
  void choose(const SeedIndex& index);

  const std::vector<Seed>& seeds() const { return seeds_; }
  unsigned length() const { return length_; }
  /// The sum of the frequencies.
  std::uint64_t hits() const { return hits_; }

 private:
  void look_up(const SeedIndex& index);

  std::size_t wanted_ = 0;
  unsigned length_ = 0;
  unsigned step_ = 1;
  std::uint64_t hits_ = 0;
  std::vector<std::uint32_t> keys_;         // a position of the read each
  std::vector<std::uint32_t> clear_end_;    // the first ambiguous base (or the end) at or behind a position, if any
  std::vector<std::uint32_t> frequencies_;  // a possible seed begin each, step_ bases apart
  std::vector<std::uint32_t> best_;         // [seeds][choices of a seed]
  std::vector<Seed> seeds_;
};

}  // namespace trawl::seed
