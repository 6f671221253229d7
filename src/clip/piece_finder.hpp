// Finds the clipped loci of one strand of a read (align/clip_rule.hpp), where something is known to match.
//
//   PieceFinder finder(reference, ambiguous_matches);
//   finder.find(strand, false, limits, ranges, loci);   // loci.loci[i] and loci.pieces[i]: the same locus
//
// The diagonal of a node (i, j) is j - i: where the first base of the read would lie if nothing shifted it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/clip_rule.hpp"
#include "align/locus.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

/// Diagonals first .. last, as positions in the coordinate space; they may be negative.
struct DiagonalRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// The clipped loci of a read. `loci[i]`: `end` is the leftmost end in the locus at which the piece has its number of
/// edits; `spread` as for a read that consists of the piece; `distance` is the penalty. `pieces[i]`: its piece, in the
/// order of its strand.
struct ClippedLoci {
  std::vector<align::Locus> loci;
  std::vector<align::Piece> pieces;

  void clear() {
    loci.clear();
    pieces.clear();
  }
};

class PieceFinder {
 public:
  /// `reference` must outlive this object. `ambiguous_matches`: ambiguous bases match what they may stand for.
  PieceFinder(const sequence::Reference& reference, bool ambiguous_matches);

  /// Appends, in ascending order of their ends, all clipped loci of `strand` that have an alignment with a node on one
  /// of the diagonals in `ranges`, each once. Other loci may be among them. `ranges` is ascending; ranges may overlap.
  /// `reverse` is copied to the loci. `limits` must be those of reads of this length.
  void find(const sequence::EncodedRead& strand, bool reverse, const align::PieceLimits& limits,
            std::span<const DiagonalRange> ranges, ClippedLoci& found);

 private:
  const sequence::Reference& reference_;
  bool ambiguous_matches_;
};

}  // namespace trawl::clip
