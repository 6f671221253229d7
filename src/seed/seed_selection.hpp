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
//
// If the read has room for one seed more, e + 2 of them are chosen. Then at least two of them have no edit, so a hit
// counts only if another seed has a hit near it (the q-gram lemma: Jokinen and Ukkonen 1991). So nearly all hits by
// chance are dropped without a look at the reference. The seeds may be more frequent, and fewer q-grams are looked up.
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

/// How the seeds of a read are chosen.
struct SeedPlan {
  std::size_t seeds = 0;
  unsigned length = 0;  // of each; 0: the read cannot have so many
  unsigned step = 1;    // they begin at multiples of it
  bool has_spare = false;

  static constexpr std::size_t kMostWithSpare = 16;

  /// For a read that needs `needed` seeds: the longest, up to `q`, and the largest step for which there is enough room.
  /// `may_spare`: if there is room, one seed more.
  static SeedPlan of(const sequence::EncodedRead& read, std::size_t needed, unsigned q, bool may_spare);
};

/// The keys of a read.
class ReadKeys {
 public:
  void load(const sequence::EncodedRead& read, unsigned q);

  /// The key of the q bases from base `i` on, as SeedIndex::find takes it. From the read's end on it is filled with A;
  /// a key with an ambiguous base in it is of no use.
  std::uint32_t at(std::size_t i) const {
    const unsigned bit = 2 * (i % 32);
    return static_cast<std::uint32_t>((codes_[i / 32] << bit | (codes_[i / 32 + 1] >> 1) >> (63 - bit)) >> unused_);
  }

 private:
  unsigned unused_ = 0;               // bits of a word after a key
  std::vector<std::uint64_t> codes_;  // of 32 bases, the first one at the top
};

/// Chooses the seeds of a read, in three steps: while memory loads the data for one read, other reads can be worked on.
///   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
///   with: const sequence::EncodedRead read = read_of("GATTACAGATTACAGCATG")
///   const SeedIndex index(reference, 8, 1);
///   const SeedPlan plan = SeedPlan::of(read, 2, index.q(), false);
///   plan.length == 8
///   SeedSelection selection;
///   selection.begin(index, read, plan);   // keys; asks for their table entries
///   selection.choose(index);              // frequencies, dynamic programming
///   selection.seeds().size() == 2         // in the order of the read
class SeedSelection {
 public:
  /// `plan`: one of the read, or one with a smaller length or step.
  void begin(const SeedIndex& index, const sequence::EncodedRead& read, const SeedPlan& plan);
  /// Leaves out a spare seed that would have by far the most hits.
  void choose(const SeedIndex& index);

  const std::vector<Seed>& seeds() const { return seeds_; }
  unsigned length() const { return plan_.length; }
  bool has_spare() const { return plan_.has_spare; }
  /// With a spare seed: the most frequent one, whose hits only confirm those of others.
  std::size_t confirming() const { return confirming_; }
  /// The sum of the frequencies of all seeds, without that of the confirming one.
  std::uint64_t hits() const { return hits_; }

 private:
  void look_up(const SeedIndex& index);
  void drop_spare();
  void give_stretches();

  SeedPlan plan_;
  std::uint64_t hits_ = 0;
  std::size_t confirming_ = 0;
  std::size_t read_length_ = 0;
  ReadKeys keys_;
  std::vector<std::uint32_t> clear_end_;    // per position: the next ambiguous base (or the end), if any
  std::vector<std::uint32_t> frequencies_;  // one per possible seed begin
  std::vector<Seed> seeds_;
};

}  // namespace trawl::seed
