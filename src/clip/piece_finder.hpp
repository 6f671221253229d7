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

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "align/clip_rule.hpp"
#include "clip/piece_band.hpp"
#include "clip/piece_components.hpp"
#include "clip/piece_ends.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

/// Diagonals first .. last, as positions in the coordinate space; they may be negative.
struct DiagonalRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
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
  PieceFinder(const sequence::Reference& reference, bool ambiguous_matches, const PieceSizes& sizes = {})
      : reference_(reference),
        band_lanes_(sizes.band_lanes),
        band_(reference, ambiguous_matches),
        components_(sizes.kept_bytes),
        ends_(reference, ambiguous_matches) {}

  /// Appends all clipped loci of `strand` that have an alignment with a node on one of the diagonals in `ranges`, and
  /// sorts all of `found`, with the loci of earlier calls. Other loci may be among them. `ranges` is ascending; ranges
  /// may overlap. `reverse` is copied to the loci. `limits` must be those of reads of this length. Loci with a larger
  /// penalty than `most_penalty` are left out.
  void find(const sequence::EncodedRead& strand, bool reverse, const align::PieceLimits& limits,
            std::span<const DiagonalRange> ranges, ClippedLoci& found, std::uint32_t most_penalty = ~std::uint32_t{0});

  /// The work of all calls so far.
  const PieceWork& work() const { return work_; }

 private:
  // What find() was called for.
  struct Task {
    const sequence::EncodedRead& strand;
    bool reverse;
    const align::PieceLimits& limits;
    std::uint32_t most_penalty;
    std::int64_t edits;  // E
    std::int64_t row;    // the middle row: every alignment holds it
    ClippedLoci& found;
    const sequence::Contig* contig = nullptr;
    std::int64_t done = INT64_MIN;  // the loci with nodes of the middle row up to this diagonal are found
  };
  // The best piece through a node.
  struct BestPiece {
    std::uint32_t penalty = ~std::uint32_t{0};
    std::uint32_t clipped = 0;       // bases left out at both ends
    std::uint32_t left_clipped = 0;  // at the left end
    std::uint32_t left_edits = 0;    // of the part on the left

    // Smallest penalty, then longest, then the one that begins first: the smaller, the better.
    auto rank() const { return std::tie(penalty, clipped, left_clipped); }
  };
  // A node in the middle row that is on some alignment.
  struct Middle {
    std::int64_t diagonal = 0;
    bool joined = false;  // by a deletion with the next diagonal
    BestPiece best;
  };

  // Finds the loci of task.contig with a node on diagonals first .. last of the middle row.
  void search_middle(Task& task, std::int64_t first, std::int64_t last);
  // The end of the nodes that may share alignments with node `begin`.
  std::size_t group_end(const Task& task, std::size_t begin) const;
  // Appends the nodes of the middle row on diagonals from `first` on, as many as a band of `lanes` has exact ones.
  void add_nodes(const Task& task, std::int64_t first, std::size_t lanes, std::vector<Middle>& nodes);
  BestPiece best_piece(const Task& task, std::size_t lane) const;
  // Finds the loci of nodes_[begin .. end - 1], which share no alignment with others.
  void add_group(const Task& task, std::size_t begin, std::size_t end);
  // Makes the locus whose nodes in the middle row are `members`, ascending indices into nodes_.
  void add_locus(const Task& task, std::span<const std::size_t> members);

  const sequence::Reference& reference_;
  std::size_t band_lanes_;
  PieceBand band_;
  PieceComponents components_;
  PieceEnds ends_;
  PieceWork work_;
  std::vector<Middle> nodes_;
  std::vector<std::size_t> members_;
  std::vector<std::uint64_t> valid_, joined_;  // bits of lanes
};

}  // namespace trawl::clip
