// cuShiftOr's cascade over a whole text on the host: the CPU twin of gpu/cushiftor.cu, block by block, warp by warp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "match/pattern_masks.hpp"
#include "match/shift_or_cascade.hpp"

namespace trawl::match {

/// Bit-per-position result: ends[j] is 1 where a match of `pattern` with at most kEdits edits ends at text position j.
/// kWildcards needs pattern.size() <= bits - kAlpha + 1; overlapping segments need 32 kAlpha > halo_length().
template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
std::vector<std::uint8_t> cascade_on_host(std::string_view text, std::string_view pattern, Segments segments,
                                          unsigned warps_per_block = 4) {
  using Segment = WarpSegment<HostWarp, Word, kAlpha, kEdits, kWildcards>;
  using Run = typename Segment::Run;
  const HostWarp warp;
  const auto m = static_cast<unsigned>(pattern.size());
  const auto masks = pattern_masks<Word>(pattern, Segment::wildcard_rows(m));
  const auto n = static_cast<std::int64_t>(text.size());
  const std::int64_t halo = halo_length(m, kEdits);
  const std::int64_t segment_step = Segment::kLength - (segments == Segments::overlapping ? halo : 0);
  const std::int64_t block_length = segment_step * warps_per_block;
  const std::int64_t block_step = block_length - (segments == Segments::disjoint ? halo : 0);
  std::vector<std::uint8_t> ends(text.size(), 0);
  for (std::int64_t block = 0; block < n; block += block_step) {
    std::vector<Segment> parts(warps_per_block, Segment(warp, m));
    const auto begin_of = [&](unsigned w) { return block - halo + w * segment_step; };
    for (unsigned w = 0; w < warps_per_block; ++w) {
      typename HostWarp::Value<typename Segment::Columns> lane_masks{};
      for (unsigned i = 0; i < Segment::kLength; ++i) {
        const std::int64_t j = begin_of(w) + i;
        lane_masks[i / kAlpha][i % kAlpha] = j >= 0 && j < n
                                                 ? masks[static_cast<unsigned char>(text[static_cast<std::size_t>(j)])]
                                                 : static_cast<Word>(~Segment::wildcard_rows(m));
      }
      parts[w].load(lane_masks);
    }
    std::vector<Run> totals(warps_per_block);
    for (unsigned level = 0; level <= kEdits; ++level) {
      for (unsigned w = 0; w < warps_per_block; ++w) {
        totals[w] = parts[w].scan(level);
      }
      for (unsigned w = 0; w < warps_per_block; ++w) {
        parts[w].finish(level, segments == Segments::disjoint
                                   ? column_before<Word>(totals.data(), w, Segment::kLength, level)
                                   : start_column<Word>(level));
      }
    }
    for (unsigned w = 0; w < warps_per_block; ++w) {
      const std::int64_t first = segments == Segments::overlapping || w == 0 ? halo : 0;
      for (std::int64_t i = first; i < Segment::kLength; ++i) {
        const std::int64_t j = begin_of(w) + i;
        if (j >= std::max<std::int64_t>(block, 0) && j < n) {
          ends[static_cast<std::size_t>(j)] =
              (parts[w].ends()[static_cast<std::size_t>(i) / kAlpha] >> (i % kAlpha)) & 1;
        }
      }
    }
  }
  return ends;
}

}  // namespace trawl::match
