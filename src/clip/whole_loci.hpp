// The loci of whole reads in ranges of ends (engine::EndRange), in the form of clipped loci.
//
//   with: const sequence::Reference reference = reference_of("GGACGTACGTGG")
//   with: const sequence::EncodedRead read = read_of("ACGTACGT")
//   ClippedLoci found;
//   WholeLoci(reference, false).add(read, false, 0, {sequence::kContigGap + 9, sequence::kContigGap + 9}, {}, found);
//   found.pieces[0] == {0, 8, 0}
#pragma once

#include <cstdint>

#include "clip/piece_finder.hpp"
#include "engine/engine.hpp"
#include "map/column_scan.hpp"
#include "sequence/ambiguous_limit.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::clip {

class WholeLoci {
 public:
  /// `reference` must outlive this object.
  WholeLoci(const sequence::Reference& reference, bool ambiguous_matches)
      : reference_(reference), ambiguous_matches_(ambiguous_matches) {}

  /// Appends the loci of the whole read `strand` whose ends with D <= max_edits are those of `range`: one, unless
  /// `limit` says that some of these are no ends.
  void add(const sequence::EncodedRead& strand, bool reverse, std::uint32_t max_edits, const engine::EndRange& range,
           const sequence::AmbiguousLimit& limit, ClippedLoci& found);

 private:
  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  sequence::TextWindow text_;
  map::ColumnScan columns_;
};

}  // namespace trawl::clip
