// Which parts of a read to look up in the index: pigeonhole seeds that are proven to miss no locus, and that are as
// rare as possible.
//
// Cut a read into e + 1 disjoint parts. In an alignment with at most e edits at least one part has no edit. If
// ambiguous bases match nothing, each of them costs one edit. So only e minus their number are left for the parts, and
// no part holds an ambiguous base. Among all choices of e + 1 disjoint q-grams, dynamic programming finds the one with
// the smallest sum of frequencies in the reference (Xin et al. 2016, Optimal Seed Solver, with seeds of one length).
//
// Each seed then gets a stretch of the read around it. The stretches are disjoint too, so a hit is kept only if the
// whole stretch matches.
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

/// The longest seed length, up to `max_length`, for which the read has `seeds` disjoint parts without an ambiguous
/// base; 0 if there is none.
unsigned longest_seed_length(const sequence::EncodedRead& read, std::size_t seeds, unsigned max_length);

/// The largest step that is allowed, where seeds begin at multiples of a step: 1, or more if the read leaves the seeds
/// enough room.
unsigned widest_step(const sequence::EncodedRead& read, std::size_t seeds, unsigned length);

/// The key of the q bases from each base of a read on, as SeedIndex::find takes it. From the read's end on it is filled
/// with A; a key with an ambiguous base in it is of no use.
void read_keys(const sequence::EncodedRead& read, unsigned q, std::vector<std::uint32_t>& keys);

/// Chooses the seeds of a read, in three steps: while memory loads the data for one read, other reads can be worked on.
///   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
///   with: const sequence::EncodedRead read = read_of("GATTACAGATTACAGCATG")
///   const SeedIndex index(reference, 8, 1);
///   const unsigned length = longest_seed_length(read, 2, index.q());
///   length == 8
///   SeedSelection selection;
///   selection.begin(index, read, 2, length, 1);   // keys; asks for their table entries
///   selection.choose(index);                      // frequencies, dynamic programming
///   selection.seeds().size() == 2                 // in the order of the read
class SeedSelection {
 public:
  /// `length`: the result of longest_seed_length(read, seeds, index.q()), not 0. `step`: seeds begin at multiples of
  /// it; from 1 to widest_step(read, seeds, length).
  void begin(const SeedIndex& index, const sequence::EncodedRead& read, std::size_t seeds, unsigned length,
             unsigned step);
  void choose(const SeedIndex& index);

  const std::vector<Seed>& seeds() const { return seeds_; }
  unsigned length() const { return length_; }
  /// The sum of the frequencies of all seeds.
  std::uint64_t hits() const { return hits_; }

 private:
  void look_up(const SeedIndex& index);

  std::size_t wanted_ = 0;
  unsigned length_ = 0;
  unsigned step_ = 1;
  std::uint64_t hits_ = 0;
  std::vector<std::uint32_t> keys_;         // one per position of the read
  std::vector<std::uint32_t> clear_end_;    // per position: the next ambiguous base (or the end), if any
  std::vector<std::uint32_t> frequencies_;  // one per possible seed begin, step_ bases apart
  std::vector<Seed> seeds_;
};

}  // namespace trawl::seed
