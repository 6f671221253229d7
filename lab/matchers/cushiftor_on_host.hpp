// cuShiftOr's cascade over a whole text on the host: the CPU twin of lab/kernels/cushiftor_blocks.cuh, block by block,
// warp by warp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/cushiftor_cascade.hpp"

namespace trawl::matchers {

namespace internal {

// Computes the levels from kLevel on, in all segments of a block.
template <unsigned kLevel, unsigned kEdits, class Word, class Segment>
void block_levels(std::vector<Segment>& parts, Segments segments) {
  std::vector<typename Segment::template Run<kLevel>> totals;
  totals.reserve(parts.size());
  for (Segment& part : parts) {
    totals.push_back(part.template scan<kLevel>());
  }
  for (unsigned w = 0; w < parts.size(); ++w) {
    const Word start = parts[w].start(kLevel);
    parts[w].template finish<kLevel>(
        segments == Segments::disjoint ? column_before<Word>(totals.data(), w, Segment::kLength, start) : start);
  }
  if constexpr (kLevel < kEdits) {
    block_levels<kLevel + 1, kEdits, Word>(parts, segments);
  }
}

}  // namespace internal

/// One result per position: ends[j] is 1 if a match of `pattern` with at most kEdits edits ends at text position j.
/// kWildcards needs pattern.size() <= bits - kAlpha + 1. Overlapping segments need 32 kAlpha > halo_length().
template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, std::string_view pattern, Segments segments,
                                            unsigned warps_per_block = 4) {
  using Segment = WarpSegment<match::HostWarp, Word, kAlpha, kEdits, kWildcards>;
  const match::HostWarp warp;
  const auto m = static_cast<unsigned>(pattern.size());
  const auto masks = cascade_masks<Word>(pattern, Segment::kWildcardRows);
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
      typename match::HostWarp::Value<typename Segment::Columns> lane_masks{};
      for (unsigned i = 0; i < Segment::kLength; ++i) {
        const std::int64_t j = begin_of(w) + i;
        lane_masks[i / kAlpha][i % kAlpha] = j >= 0 && j < n
                                                 ? masks[static_cast<unsigned char>(text[static_cast<std::size_t>(j)])]
                                                 : static_cast<Word>(~free_rows<Word>(m, Segment::kWildcardRows));
      }
      parts[w].load(lane_masks);
    }
    internal::block_levels<0, kEdits, Word>(parts, segments);
    for (unsigned w = 0; w < warps_per_block; ++w) {
      const std::int64_t first = segments == Segments::overlapping || w == 0 ? halo : 0;
      for (std::int64_t i = first; i < Segment::kLength; ++i) {
        const std::int64_t j = begin_of(w) + i;
        if (j >= std::max<std::int64_t>(block, 0) && j < n) {
          ends[static_cast<std::size_t>(j)] =
              ((parts[w].misses()[static_cast<std::size_t>(i) / kAlpha] >> (kAlpha - 1 - i % kAlpha)) & 1) == 0;
        }
      }
    }
  }
  return ends;
}

}  // namespace trawl::matchers
