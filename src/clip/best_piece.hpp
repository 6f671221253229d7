// The best piece through a node, from what each number of edits on its left and on its right leaves out.
//
//   with: const align::PieceLimits limits = {100, {30, 30, 20}}
//   BestPiece best;
//   best.offer(limits, 10, 0, 5, 1);         // leaves out 10 bases on the left, 5 on the right; one edit on the right
//   best.offer(limits, 30, 0, 0, 0);         // is worse
//   best.penalty == 20
//   best.piece(100) == {10, 95, 1}
#pragma once

#include <cstdint>
#include <tuple>

#include "align/clip_rule.hpp"

namespace trawl::clip {

/// The most edits with which a piece may leave out so many bases; at most N.
inline std::uint32_t most_edits(const align::PieceLimits& limits, std::uint32_t clipped) {
  std::uint32_t edits = limits.max_edits();
  while (limits.most_clipped[edits] < clipped) {
    --edits;
  }
  return edits;
}

struct BestPiece {
  std::uint32_t penalty = ~std::uint32_t{0};
  std::uint32_t clipped = 0;       // bases left out at both ends
  std::uint32_t left_clipped = 0;  // at the left end
  std::uint32_t left_edits = 0;    // of the part on the left

  bool is_found() const { return penalty != ~std::uint32_t{0}; }
  /// Smallest penalty, then longest, then the one that begins first: the smaller, the better.
  auto rank() const { return std::tie(penalty, clipped, left_clipped); }

  std::uint32_t edits() const { return (penalty - clipped) / align::kEditPoints; }
  align::Piece piece(std::uint32_t length) const { return {left_clipped, length - (clipped - left_clipped), edits()}; }

  /// Takes the piece that leaves out these bases, with these edits, if it is allowed and better.
  void offer(const align::PieceLimits& limits, std::uint32_t left_bases, std::uint32_t x, std::uint32_t right_bases,
             std::uint32_t y) {
    const std::uint32_t bases = left_bases + right_bases;
    if (x + y <= limits.max_edits() && bases <= limits.most_clipped[x + y]) {
      const BestPiece offered{bases + align::kEditPoints * (x + y), bases, left_bases, x};
      if (offered.rank() < rank()) {
        *this = offered;
      }
    }
  }
};

}  // namespace trawl::clip
