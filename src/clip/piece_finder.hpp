// Finds the clipped loci of one strand of a read (align/clip_rule.hpp), where something is known to match.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   with: const sequence::EncodedRead strand = read_of("GATTACAGATTTCAGCAAAA")
//   PieceFinder finder(reference, false);
//   const auto limits = align::piece_limits(20, 5, [](std::uint32_t) { return 0; });
//   const DiagonalRange ranges[] = {{sequence::kContigGap + 5, sequence::kContigGap + 5}};
//   ClippedLoci found;
//   finder.find(strand, false, limits, ranges, found);   // found.loci[i] and found.pieces[i]: the same locus
//   found.pieces[0] == {0, 17, 0}
//
// The diagonal of a node (i, j) is j - i: where the first base of the read would lie if nothing shifted it.
#pragma once

#include <cstdint>
#include <memory>
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
  /// Sorts them, the forward strand's first, each strand's by their ends, and drops what was found twice.
  void sort_and_unite();
  /// Drops the loci i for which drop(i) is true.
  template <class Drop>
  void erase_if(const Drop& drop) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < loci.size(); ++i) {
      if (!drop(i)) {
        loci[kept] = loci[i];
        pieces[kept++] = pieces[i];
      }
    }
    loci.resize(kept);
    pieces.resize(kept);
  }
};

/// How much is computed at once.
struct PieceSizes {
  std::size_t band_lanes = 512;        // diagonals of a band, if more must be searched; at least what E needs
  std::size_t kept_bytes = 16u << 20;  // rows that are kept to tell loci apart
};

/// What the work took.
struct PieceWork {
  std::uint64_t bands = 0;       // stretches of diagonals that were computed
  std::uint64_t widened = 0;     // of these: because a locus went on outside
  std::uint64_t groups = 0;      // stretches of the middle row with alignments
  std::uint64_t told_apart = 0;  // of these: all rows were needed to see which alignments are one locus
  std::uint64_t merged = 0;      // of these: stretches that the middle row does not join, and other rows do
};

class PieceFinder {
 public:
  /// `reference` must outlive this object. `ambiguous_matches`: ambiguous bases match what they may stand for.
  PieceFinder(const sequence::Reference& reference, bool ambiguous_matches, const PieceSizes& sizes = {});
  ~PieceFinder();
  PieceFinder(PieceFinder&&) noexcept;

  /// Appends all clipped loci of `strand` that have an alignment with a node on one of the diagonals in `ranges`, and
  /// sorts all of `found`, with the loci of earlier calls. Other loci may be among them. `ranges` is ascending; ranges
  /// may overlap. `reverse` is copied to the loci. `limits` must be those of reads of this length. Loci with a larger
  /// penalty than `most_penalty` are left out.
  void find(const sequence::EncodedRead& strand, bool reverse, const align::PieceLimits& limits,
            std::span<const DiagonalRange> ranges, ClippedLoci& found, std::uint32_t most_penalty = ~std::uint32_t{0});

  /// Of all calls so far.
  const PieceWork& work() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace trawl::clip
