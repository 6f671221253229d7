// cuShiftOr over a whole text on the host: the CPU twins of lab/kernels/cushiftor_words.cuh, block by block, warp by
// warp or stretch by stretch, and of lab/kernels/cushiftor_exact.cu.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/cushiftor_exact.hpp"

namespace trawl::matchers {

/// ends[j] is 1 if a match ends at position j. `settings` must come from resolve(). `warps`: the number of warps of a
/// block; with streamed segments, the number of segments that a warp takes.
std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, const CuShiftOrSettings& settings,
                                            unsigned warps = 8);

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
std::vector<std::uint8_t> cushiftor_blocks_on_host(std::string_view text, std::string_view pattern, Segments segments,
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

/// ends[j] is 1 if a match of `pattern` with at most kEdits edits ends at text position j. `stretch`: the number of
/// segments, of 32 kAlpha characters each, that one warp takes. kWildcards needs pattern.size() <= bits - kAlpha + 1.
template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
std::vector<std::uint8_t> cushiftor_streamed_on_host(std::string_view text, std::string_view pattern,
                                                     std::size_t stretch) {
  using Segment = WarpSegment<match::HostWarp, Word, kAlpha, kEdits, kWildcards>;
  const match::HostWarp warp;
  const auto m = static_cast<unsigned>(pattern.size());
  const auto masks = cascade_masks<Word>(pattern, Segment::kWildcardRows);
  const std::size_t segments = (text.size() + Segment::kLength - 1) / Segment::kLength;
  std::vector<std::uint8_t> ends(text.size());
  for (std::size_t first = 0; first < segments; first += stretch) {
    Segment segment(warp, m);
    Word left[kEdits + 1];
    for (unsigned level = 0; level <= kEdits; ++level) {
      left[level] = segment.start(level);
    }
    const std::size_t early = early_segments(m, kEdits, Segment::kLength);
    for (std::size_t s = first - std::min(first, early); s < std::min(segments, first + stretch); ++s) {
      const std::size_t begin = s * Segment::kLength;
      typename match::HostWarp::Value<typename Segment::Columns> lane_masks{};
      for (unsigned i = 0; i < Segment::kLength; ++i) {
        const char c = begin + i < text.size() ? text[begin + i] : '\0';
        lane_masks[i / kAlpha][i % kAlpha] = masks[static_cast<unsigned char>(c)];
      }
      segment.load(lane_masks);
      segment.run(left);
      for (std::size_t i = 0; s >= first && i < Segment::kLength && begin + i < text.size(); ++i) {
        ends[begin + i] = ((segment.misses()[i / kAlpha] >> (kAlpha - 1 - i % kAlpha)) & 1) == 0;
      }
    }
  }
  return ends;
}

namespace internal {

template <unsigned kHalves, unsigned kGroupLimbs>
std::vector<std::uint8_t> exact_on_host(std::string_view text, std::string_view pattern, std::size_t stretch) {
  using Cascade = ExactCascade<match::HostWarp, kHalves>;
  const match::HostWarp warp;
  const auto m = static_cast<unsigned>(pattern.size());
  const auto tables = exact_tables(pattern);
  const std::size_t tiles = (text.size() + kExactTile - 1) / kExactTile;
  std::vector<std::uint8_t> ends(text.size());
  for (std::size_t first = 0; first < tiles; first += stretch) {
    auto before = warp.spread(exact_nothing<Cascade::kLimbs>());
    for (std::size_t tile = first - std::min<std::size_t>(first, 1); tile < std::min(tiles, first + stretch); ++tile) {
      const std::size_t begin = tile * kExactTile;
      const auto columns = warp.map(
          [&](unsigned lane, unsigned) {
            return exact_lane_column<Cascade::kLimbs, kGroupLimbs>([&](unsigned shift, unsigned i) {
              const std::size_t j = begin + lane * kExactAlpha + i;
              const auto c = static_cast<unsigned char>(j < text.size() ? text[j] : '\0');
              Limbs<kGroupLimbs> mask;
              for (unsigned l = 0; l < kGroupLimbs; ++l) {
                mask.limb[l] = tables[(l * kExactGroup + shift) * 256 + c];
              }
              return mask;
            });
          },
          warp.spread(0u));
      const auto misses = Cascade::misses(warp, columns, before, m);
      before = columns;
      for (std::size_t i = 0; tile >= first && i < kExactTile && begin + i < text.size(); ++i) {
        ends[begin + i] = ((misses[i / kExactAlpha] >> (kExactAlpha - 1 - i % kExactAlpha)) & 1) == 0;
      }
    }
  }
  return ends;
}

}  // namespace internal

/// The same for k = 0 with the exact cascade. `stretch` is counted in tiles. The pattern must have 1 to 64 characters.
inline std::vector<std::uint8_t> exact_on_host(std::string_view text, std::string_view pattern, std::size_t stretch) {
  return with_exact_shape(static_cast<unsigned>(pattern.size()), [&](auto halves, auto group_limbs) {
    return internal::exact_on_host<decltype(halves)::value, decltype(group_limbs)::value>(text, pattern, stretch);
  });
}

}  // namespace trawl::matchers
