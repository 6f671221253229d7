// The flags and tags in the records of `trawl map`. The writers of SAM, BAM and CRAM all use this list.
#pragma once

#include <cstdint>
#include <string_view>

#include "align/alignment.hpp"

namespace trawl::align {

/// The SAM flag bits that Trawl sets.
inline constexpr std::uint16_t kFlagUnmapped = 0x4;
inline constexpr std::uint16_t kFlagReverse = 0x10;
inline constexpr std::uint16_t kFlagSecondary = 0x100;

/// The flag of a read's k-th reported alignment; k = 0 is the primary one.
inline std::uint16_t sam_flag(const Alignment& alignment, std::uint32_t k) {
  return static_cast<std::uint16_t>((alignment.reverse ? kFlagReverse : 0) | (k > 0 ? kFlagSecondary : 0));
}

/// Gives sink.integer(tag, value) and sink.text(tag, value) the tags of any alignment: NM, MD, and AS, which is minus
/// the distance.
template <class Sink>
void put_edit_tags(std::uint32_t edits, std::string_view md, std::uint32_t distance, Sink& sink) {
  sink.integer("NM", edits);
  sink.text("MD", md);
  sink.integer("AS", -std::int64_t{distance});
}

/// Calls sink.integer(tag, value) or sink.text(tag, value) for each tag of a read's k-th reported alignment, in the
/// order of the record. `read_group`: the ID for RG; empty if there is none.
template <class Sink>
void put_sam_tags(const AlignmentBatch& batch, const ReadResult& result, std::uint32_t k, std::string_view read_group,
                  Sink& sink) {
  const Alignment& alignment = batch.alignments[result.first + k];
  put_edit_tags(alignment.edits, batch.md_of(alignment), alignment.distance, sink);
  sink.integer("NH", result.count);
  sink.integer("HI", std::int64_t{k} + 1);
  sink.integer("X0", result.best_count);
  if (result.next_known) {
    sink.integer("X1", result.next_count);
  }
  if (result.dropped > 0) {
    sink.integer("ZD", result.dropped);
  }
  if (!read_group.empty()) {
    sink.text("RG", read_group);
  }
}

/// The same for a read that has no locus.
template <class Sink>
void put_unmapped_tags(std::string_view read_group, Sink& sink) {
  if (!read_group.empty()) {
    sink.text("RG", read_group);
  }
}

}  // namespace trawl::align
