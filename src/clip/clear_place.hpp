// The usual place of a clipped locus, told from one diagonal. Most reads fit on one diagonal with few mismatches, and
// all other diagonals around are hopeless. Then one node tells the whole locus:
//
//   with: const sequence::Reference& reference, const sequence::EncodedRead& strand, const align::PieceLimits& limits
//   with: std::int64_t diagonal, std::uint32_t row
//   ClearPlace place(reference, false);
//   place.start(strand, limits);
//   if (place.find(diagonal, diagonal, row, reference.contigs()[0])) {
//     const BestPiece& best = place.best();       // and place.end(), place.spread()
//   }
//
//   row N        .  .  *  .  .      Let diagonal k have at most 2 mismatches in the core rows N .. L - N, and let every
//                .  .  *  .  .      way from row N to the middle row without a node on k take more than E edits, and
//   middle row   .  .  X  .  .      from the middle row to row L - N, too. Then every alignment has nodes on k before
//                .  .  *  .  .      and after X. Where it leaves k between them it makes at least 2 edits, so it could
//   row L - N    .  .  *  .  .      as well stay on k and go through X.
//
// So all alignments in reach of k are one locus, and its best piece and all ends of this piece are reached through X.
// What one node reaches is found diagonal by diagonal, edit by edit (Landau and Vishkin 1989).
//
// Where the condition fails, nothing is known; clip/piece_band.hpp serves all places.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "align/clip_rule.hpp"
#include "base/wide_word.hpp"
#include "clip/best_piece.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::clip {

class ClearPlace {
 public:
  /// The most edits for which a place can be told.
  static constexpr std::uint32_t kMostEdits = 15;

  ClearPlace(const sequence::Reference& reference, bool ambiguous_matches)
      : reference_(reference), ambiguous_matches_(ambiguous_matches) {}

  void start(const sequence::EncodedRead& strand, const align::PieceLimits& limits);

  /// Whether one locus has all alignments that go through row `row` on the diagonals first .. last; `row` must be in
  /// the core. If so, the following functions tell it.
  bool find(std::int64_t first, std::int64_t last, std::uint32_t row, const sequence::Contig& contig);

  const BestPiece& best() const { return best_; }
  std::int64_t end() const { return end_; }
  std::uint32_t spread() const { return spread_; }
  /// The locus has no nodes on diagonals after this one.
  std::int64_t last_diagonal() const { return diagonal_ + edits_; }

 private:
  enum class Outcome { found, unclear, too_narrow };
  // [edits][kMostEdits + lane]: the row that can be reached with so many edits, on diagonal k + lane.
  using Reach = std::array<std::array<std::int32_t, 2 * kMostEdits + 1>, kMostEdits + 1>;

  // With a band of as many diagonals as Word has bits. `rows`: scratch.
  template <class Word>
  Outcome judge(std::int64_t first, std::int64_t last, std::vector<Word>& rows);
  bool find_best();
  void find_ends();
  // Computes what X reaches with so many edits, from what it reaches with one less. Returns the furthest row.
  std::int32_t reach_left(std::uint32_t edits);
  std::int32_t reach_right(std::uint32_t edits);
  const std::uint64_t* matches(std::int32_t lane);

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  const sequence::EncodedRead* strand_ = nullptr;
  const align::PieceLimits* limits_ = nullptr;
  std::int64_t edits_ = 0;
  std::size_t words_ = 0;
  std::array<std::vector<std::uint64_t>, 4> bases_;  // [code]: bit i: base i of the read matches it
  sequence::TextWindow text_;
  const sequence::Contig* contig_ = nullptr;
  std::uint32_t row_ = 0;
  std::int64_t text_begin_ = 0;  // the diagonal on which text_ begins
  std::vector<std::uint64_t> rows_64_;
  std::vector<WideWord<2>> rows_128_;
  std::int64_t diagonal_ = 0;  // k
  std::uint32_t left_levels_ = 0, right_levels_ = 0;
  Reach left_, right_;
  std::array<std::uint32_t, kMostEdits + 1> left_clipped_, right_clipped_;
  std::array<bool, 2 * kMostEdits + 1> known_;  // of matches_
  std::vector<std::uint64_t> matches_;          // bit i: base i matches on the diagonal
  BestPiece best_;
  std::int64_t end_ = 0;
  std::uint32_t spread_ = 0;
};

}  // namespace trawl::clip
