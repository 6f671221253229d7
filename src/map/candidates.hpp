// From seeds to candidates. A candidate is a diagonal on which a seed, and the whole stretch around it, match the
// reference.
//
//   with: const sequence::Reference& reference, const seed::SeedIndex& index
//   with: const sequence::EncodedRead& read, const seed::SeedSelection& selection
//   CandidateFinder finder;
//   finder.collect(reference, index, selection, read, 2);
//   for (const std::int64_t diagonal : finder.filter(reference, read)) { ... }   // the read may begin there
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seed/seed_index.hpp"
#include "seed/seed_selection.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// Which hits of a seed may be candidates: its whole stretch must match, and the bases around it must not need too many
/// edits for sure.
///
///   read   ACGT[GATTACA]TTCA      left of the stretch: 1 edit
///   text   ACCT[GATTACA]GGGG      right: no base matches there, or on a diagonal up to 2 away, so more than 2 edits
///
///   with: const sequence::Reference reference = reference_of("ACCTGATTACAGGGGGGGG")
///   with: const sequence::EncodedRead read = read_of("ACGTGATTACATTCA")
///   const std::int64_t diagonals[] = {sequence::kContigGap};
///   std::int64_t kept[1 + CandidateScreen::kPadding];
///   CandidateScreen::of(15, 4, 7, 2).keep(reference, read, diagonals, 1, kept) == 0
///
/// The bases on one side of a stretch can match with a edits only if at most a of them match on none of the diagonals
/// up to a away from that of the stretch. The two sides together may have `edits`. A hit that passes may still need
/// more.
struct CandidateScreen {
  /// With more edits nearly every hit would pass.
  static constexpr std::uint32_t kMostEdits = 5;
  /// keep() may write up to this number of values beyond those it keeps.
  static constexpr std::size_t kPadding = 8;

  std::uint32_t first = 0;  // of the bases of the read that are compared: bit 0 of the masks
  std::uint32_t edits = 0;  // 0: only the stretch is compared
  std::uint64_t exact = 0;  // the stretch
  std::uint64_t left = 0;   // and what lies on its left
  std::uint64_t right = 0;  // and right

  /// Bases [from, from + stretch) of a read of `length` bases must match: 1 to 64 bases. `edits`: of the whole read.
  static CandidateScreen of(std::uint32_t length, std::uint32_t from, std::uint32_t stretch, std::uint32_t edits);

  /// Where the 64 bases of text that are compared begin, less the diagonal.
  std::int64_t text_begin() const { return std::int64_t{first} - edits; }

  /// Copies those of diagonals[0, count) that pass to `out`, in their order, and returns how many do. A diagonal is the
  /// position of the first base of `read`, if there is no gap. The text must lie inside the reference.
  std::size_t keep(const sequence::Reference& reference, const sequence::EncodedRead& read,
                   const std::int64_t* diagonals, std::size_t count, std::int64_t* out) const;
};

/// Finds the candidates of one strand of a read, in two steps: while memory loads the data for one strand, other
/// strands can be worked on.
class CandidateFinder {
 public:
  /// Copies the hits of the seeds of a read and prefetches the reference around them. If there is a spare seed, only
  /// hits near those of another seed: at most `edits` diagonals away. `edits`: those allowed for the whole read;
  /// filter() drops hits that surely need more; 0: it does not look. Throws Error if the index is damaged; so does
  /// filter().
  void collect(const sequence::Reference& reference, const seed::SeedIndex& index, const seed::SeedSelection& selection,
               const sequence::EncodedRead& read, std::uint32_t edits);

  /// Drops the hits that the screen does not let pass. Returns the diagonals of the others, ascending, without
  /// duplicates. A diagonal is the reference position (in the coordinate space, may be negative) of the read's first
  /// base, if there is no gap before the seed.
  const std::vector<std::int64_t>& filter(const sequence::Reference& reference, const sequence::EncodedRead& read);

 private:
  // The hits of one seed in one shard: hits_[begin, end) are their diagonals.
  struct List {
    std::size_t begin = 0;
    std::size_t end = 0;
    CandidateScreen screen;
  };

  void merge_lists();

  std::vector<List> lists_;
  bool lists_ascend_ = true;  // false: a seed shorter than the index's q-grams has its hits ordered q-gram by q-gram
  std::vector<std::int64_t> hits_;
  std::vector<std::int64_t> kept_;
  std::vector<std::int64_t> merged_;
  std::vector<std::size_t> bounds_;
  std::vector<std::size_t> next_bounds_;
};

}  // namespace trawl::map
