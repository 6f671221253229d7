// Where the words of a read lie: short parts that must match without an edit. Words that overlap share their seeds: one
// seed is looked up for all words that hold it, and each of its hits is compared once.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   with: const sequence::EncodedRead forward = read_of("GATTACAGATTGCAGCATG")
//   with: const sequence::EncodedRead reverse = read_of("CATGCTGCAATCTGTAATC")
//   const seed::SeedIndex index(reference, 8, 1);
//   WordFinder finder(reference, index);
//   finder.find(forward, reverse, std::vector<WordFinder::Word>{{0, 11, 100}, {1, 11, 100}});
//   finder.of(0, false).size() == 1                                       // GATTACAGATT, on the forward strand
//   finder.of(0, false)[0].first == sequence::kContigGap + 15             // where it ends
//   finder.of(1, false).empty()
//
//   words    ==================== 20 bases
//                ====================
//                    ====================
//   seed             ~~~~~~~~~~~~ q bases: the rarest ones of which each word holds one are chosen
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/locus.hpp"
#include "engine/engine.hpp"
#include "seed/seed_index.hpp"
#include "seed/seed_selection.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

class WordFinder {
 public:
  /// Bases [begin, begin + length) of a read: only A, C, G and T. If a strand has more than `most_ranges` ranges, only
  /// some are wanted, but more than this number.
  struct Word {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    std::uint32_t most_ranges = 0;
  };

  /// Both must outlive it.
  WordFinder(const sequence::Reference& reference, const seed::SeedIndex& index)
      : reference_(reference), index_(index) {}

  /// Whether words can have this length: with two that share a seed, 64 bases of text are compared at most.
  bool can_find(std::size_t length) const { return length >= index_.q() && 2 * length <= 64 + index_.q(); }

  /// Finds all places of the words of a read, by its two strands. The words must have ascending begins and ends. Places
  /// that hold an ambiguous letter of the reference are left out. `searched`: the forward strand, the reverse one; of()
  /// is for those only.
  void find(const sequence::EncodedRead& forward, const sequence::EncodedRead& reverse, std::span<const Word> words,
            const bool (&searched)[2] = {true, true});

  /// The places of the w-th word on a strand, as ranges of ends, ascending.
  std::span<const align::EndRange> of(std::size_t w, bool reverse) const {
    return strands_[reverse].ranges[reverse ? words_ - 1 - w : w];
  }

  engine::StageSeconds seconds() const { return seconds_; }

 private:
  // The words first .. last - 1 of a strand hold these q bases.
  struct WordSeed {
    std::uint32_t begin = 0;  // in the strand
    std::uint32_t frequency = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };
  struct WordStrand {
    const sequence::EncodedRead* read = nullptr;
    std::vector<Word> words;
    seed::ReadKeys keys;
    std::vector<WordSeed> seeds;
    std::vector<std::vector<align::EndRange>> ranges;  // of each word
  };

  void make_keys(WordStrand& strand) const;
  // Where the last seed in a word begins.
  std::uint32_t last_seed(const Word& word) const { return word.begin + word.length - index_.q(); }
  void choose_seeds(WordStrand& strand);
  void deal_words(WordStrand& strand) const;
  std::span<const std::uint32_t> hits_of(const WordStrand& strand, const WordSeed& seed,
                                         const seed::SeedIndex::Shard& shard) const {
    return index_.find(shard, strand.keys.at(seed.begin), index_.q());
  }
  void prefetch_text(std::uint64_t position) const { __builtin_prefetch(reference_.planes().data() + position / 64); }
  void look_at_hits(WordStrand& strand, const WordSeed& seed);
  bool add_place(const Word& word, std::uint64_t begin, std::vector<align::EndRange>& ranges) const;

  const sequence::Reference& reference_;
  const seed::SeedIndex& index_;
  std::size_t words_ = 0;
  WordStrand strands_[2];
  engine::StageSeconds seconds_;
  std::vector<std::uint32_t> frequencies_;  // of the seed at each base
  std::vector<std::uint64_t> best_;         // the smallest sum of frequencies up to there
  std::vector<std::uint32_t> seed_before_;  // the seed before
};

}  // namespace trawl::map
