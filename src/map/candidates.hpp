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

#include "map/candidate_screen.hpp"
#include "seed/seed_index.hpp"
#include "seed/seed_selection.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// Finds the candidates of one strand of a read, in two steps: while memory loads the data for one strand, other
/// strands can be worked on.
class CandidateFinder {
 public:
  /// Copies the hits of the seeds of a read and prefetches the reference around them. `edits`: of the whole read, if
  /// hits around which more are needed for sure are to be dropped; 0: these are not looked for. Throws Error if the
  /// index is damaged; so does filter().
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
