#include "lab/matchers/cushiftor_on_host.hpp"

#include "lab/matchers/cushiftor_exact.hpp"

namespace trawl::matchers {

namespace {

using match::HostWarp;

// Whether a match ends at character i of a segment: its bit of the lane's misses is 0.
template <unsigned kAlpha>
auto ends_of(const HostWarp::Value<unsigned>& misses) {
  return [misses](std::size_t i) { return ((misses[i / kAlpha] >> (kAlpha - 1 - i % kAlpha)) & 1) == 0; };
}

// The masks of a segment's characters. Outside the text, nothing matches.
template <class Segment, class Word>
auto masks_of(std::string_view text, std::int64_t begin, const std::array<Word, 256>& masks, unsigned m) {
  constexpr unsigned kAlpha = Segment::kLength / match::kWarpLanes;
  HostWarp::Value<typename Segment::Columns> of_lanes{};
  for (unsigned i = 0; i < Segment::kLength; ++i) {
    const auto j = static_cast<std::size_t>(begin + i);  // before the text: larger than all
    of_lanes[i / kAlpha][i % kAlpha] = j < text.size() ? masks[static_cast<unsigned char>(text[j])]
                                                       : static_cast<Word>(~free_rows<Word>(m, Segment::kWildcardRows));
  }
  return of_lanes;
}

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

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
std::vector<std::uint8_t> in_blocks(std::string_view text, std::string_view pattern, Segments segments,
                                    unsigned warps_per_block) {
  using Segment = WarpSegment<HostWarp, Word, kAlpha, kEdits, kWildcards>;
  const HostWarp warp;
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
      parts[w].load(masks_of<Segment>(text, begin_of(w), masks, m));
    }
    block_levels<0, kEdits, Word>(parts, segments);
    for (unsigned w = 0; w < warps_per_block; ++w) {
      const auto is_end = ends_of<kAlpha>(parts[w].misses());
      const std::int64_t first = segments == Segments::overlapping || w == 0 ? halo : 0;
      for (std::int64_t i = first; i < Segment::kLength; ++i) {
        const std::int64_t j = begin_of(w) + i;
        if (j >= std::max<std::int64_t>(block, 0) && j < n) {
          ends[static_cast<std::size_t>(j)] = is_end(static_cast<std::size_t>(i));
        }
      }
    }
  }
  return ends;
}

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
std::vector<std::uint8_t> streamed(std::string_view text, std::string_view pattern, std::size_t stretch) {
  using Segment = WarpSegment<HostWarp, Word, kAlpha, kEdits, kWildcards>;
  const HostWarp warp;
  const auto m = static_cast<unsigned>(pattern.size());
  const auto masks = cascade_masks<Word>(pattern, Segment::kWildcardRows);
  return ends_by_stretches<Segment::kLength>(text, stretch, early_segments(m, kEdits, Segment::kLength), [&] {
    Segment segment(warp, m);
    Word left[kEdits + 1];
    for (unsigned level = 0; level <= kEdits; ++level) {
      left[level] = segment.start(level);
    }
    return [&, segment, left](std::size_t begin) mutable {
      segment.load(masks_of<Segment>(text, static_cast<std::int64_t>(begin), masks, m));
      segment.run(left);
      return ends_of<kAlpha>(segment.misses());
    };
  });
}

template <class Word>
std::vector<std::uint8_t> with_words(std::string_view text, const CuShiftOrSettings& s, unsigned warps) {
  std::vector<std::uint8_t> ends;
  with_cushiftor_variant<Word>(s, [&](auto segments, auto alpha, auto edits, auto wildcards) {
    if constexpr (segments() == Segments::streamed) {
      ends = streamed<Word, alpha(), edits(), wildcards()>(text, s.pattern, warps);
    } else {
      ends = in_blocks<Word, alpha(), edits(), wildcards()>(text, s.pattern, segments(), warps);
    }
  });
  return ends;
}

}  // namespace

std::vector<std::uint8_t> exact_on_host(std::string_view text, std::string_view pattern, std::size_t stretch) {
  const auto m = static_cast<unsigned>(pattern.size());
  const auto tables = exact_tables(pattern);
  return with_exact_shape(m, [&](auto halves, auto group_limbs) {
    using Cascade = ExactCascade<HostWarp, halves()>;
    using Group = Limbs<group_limbs()>;
    const HostWarp warp;
    return ends_by_stretches<kExactTile>(text, stretch, 1, [&] {
      return [&, before = warp.spread(exact_nothing<Cascade::kLimbs>())](std::size_t begin) mutable {
        const auto columns = warp.map(
            [&](unsigned lane, unsigned) {
              return exact_lane_column<Cascade::kLimbs, group_limbs()>([&](unsigned shift, unsigned i) {
                const std::size_t j = begin + lane * kExactAlpha + i;
                const auto c = static_cast<unsigned char>(j < text.size() ? text[j] : '\0');
                Group mask;
                for (unsigned l = 0; l < group_limbs(); ++l) {
                  mask[l] = tables[(l * kExactGroup + shift) * 256 + c];
                }
                return mask;
              });
            },
            warp.spread(0u));
        const auto misses = Cascade::misses(warp, columns, before, m);
        before = columns;
        return ends_of<kExactAlpha>(misses);
      };
    });
  });
}

std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, const CuShiftOrSettings& s, unsigned warps) {
  return s.word_bits == kExactBits ? exact_on_host(text, s.pattern, warps)
         : s.word_bits == 32       ? with_words<std::uint32_t>(text, s, warps)
                                   : with_words<std::uint64_t>(text, s, warps);
}

}  // namespace trawl::matchers
