// Which nodes of one row belong to the same clipped locus, where the row alone cannot tell: the components of all nodes
// and steps of allowed alignments.
//
//   with: PieceBand& band, std::int64_t first, std::int64_t last, std::uint32_t row
//   PieceComponents components(std::size_t{16} << 20);
//   components.find(band, first, last, row);             // all alignments whose nodes in `row` lie on these diagonals
//   if (components.label(first) == components.label(last)) { ... }     // they are the same locus
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clip/piece_band.hpp"

namespace trawl::clip {

class PieceComponents {
 public:
  /// `bytes`: about the memory for the rows that are kept.
  explicit PieceComponents(std::size_t bytes) : bytes_(bytes) {}

  /// All alignments with a node in `row` on the diagonals first .. last must have all their nodes in that row there,
  /// and no other alignment may meet them. Loads other diagonals into `band`.
  void find(PieceBand& band, std::int64_t first, std::int64_t last, std::uint32_t row);

  static constexpr std::uint32_t kNoLabel = ~std::uint32_t{0};

  /// The label of a node in the row that is on some alignment; kNoLabel for other nodes.
  std::uint32_t label(std::int64_t diagonal);

 private:
  void find_in_band(PieceBand& band, std::size_t first_lane, std::size_t lanes, std::uint32_t row);
  void visit_row(PieceBand& band, std::size_t first_lane, std::size_t lanes, std::uint32_t i);

  std::uint32_t root(std::uint32_t label);
  // The label of a node that so far has the label `known` and is joined to a node with this label.
  std::uint32_t joined(std::uint32_t known, std::uint32_t label);

  std::size_t bytes_;
  std::vector<std::uint32_t> parents_;     // of labels
  std::vector<std::uint32_t> row_labels_;  // in the row asked for
  std::int64_t first_diagonal_ = 0;
  // Labels of the row visited and of the one after it; of the last lane of the band before, for all rows, and of this
  // band's last lane.
  std::vector<std::uint32_t> labels_, labels_after_, column_, next_column_;
  std::vector<std::uint64_t> nodes_, deletions_, insertions_, equal_, unequal_;
};

}  // namespace trawl::clip
