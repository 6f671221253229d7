// Where pieces end: the leftmost end in a locus, and the spread of its ends (align/locus.hpp); and the loci of whole
// reads, in the form of clipped loci.
//
//   with: const sequence::Reference reference = reference_of("GGACGTACGTGG")
//   with: const sequence::EncodedRead read = read_of("ACGTACGT")
//   PieceEnds ends(reference, false);
//   const MiddleNode nodes[] = {{sequence::kContigGap + 2, 0}};
//   ends.leftmost_end(read, {0, 8, 0}, nodes, 4) == sequence::kContigGap + 9
//   ClippedLoci found;
//   ends.add_whole(read, false, 0, {sequence::kContigGap + 9, sequence::kContigGap + 9}, {}, found);
//   found.pieces[0] == {0, 8, 0}
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/clip_rule.hpp"
#include "align/locus.hpp"
#include "engine/engine.hpp"
#include "map/column_scan.hpp"
#include "sequence/ambiguous_limit.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::clip {

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

/// A node in the middle row of a piece's alignments.
struct MiddleNode {
  std::int64_t diagonal = 0;
  std::uint32_t edits = 0;  // of the piece's part on the left
};

class PieceEnds {
 public:
  /// `reference` must outlive this object.
  PieceEnds(const sequence::Reference& reference, bool ambiguous_matches)
      : reference_(reference), ambiguous_matches_(ambiguous_matches) {}

  /// The leftmost end (position of the last base) of alignments of `piece` with its edits that go through one of
  /// `nodes` in row `row`. There must be such an alignment. `nodes` ascends.
  std::int64_t leftmost_end(const sequence::EncodedRead& strand, const align::Piece& piece,
                            std::span<const MiddleNode> nodes, std::uint32_t row);

  /// The spread of a locus of a read that consists of `piece`, from its end `end` on: ends with D <= `max_edits` go on.
  std::uint32_t spread(const sequence::EncodedRead& strand, const align::Piece& piece, std::int64_t end,
                       std::uint32_t max_edits, const sequence::Contig& contig);

  /// Appends the loci of the whole read `strand` whose ends with D <= max_edits are those of `range`: one, unless
  /// `limit` says that some of these are no ends.
  void add_whole(const sequence::EncodedRead& strand, bool reverse, std::uint32_t max_edits,
                 const engine::EndRange& range, const sequence::AmbiguousLimit& limit, ClippedLoci& found);

 private:
  // Calls visit(end, D) for the ends first .. last of a read.
  template <class Visit>
  void visit_ends(const sequence::EncodedRead& read, std::uint32_t max_edits, std::int64_t first, std::int64_t last,
                  const Visit& visit);

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  sequence::EncodedRead part_;
  sequence::TextWindow text_;
  map::ColumnScan columns_;
  std::vector<std::uint32_t> row_;
};

}  // namespace trawl::clip
