// Drops the ranges of cores where the penalty of the whole read is too large (engine::RangeQuery). A warp scores the
// read in a range by local alignment on its diagonals:
//
//   ScoreRanges    scores each range
//   MarkWanted     says which ranges stay; KeepSome copies them together
#pragma once

#include <cstdint>

#include "align/clip_rule.hpp"
#include "align/locus.hpp"
#include "gpu/map/block.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

/// Which ranges of a query are wanted.
struct RangeLimit {
  std::uint32_t read = kAll;  // the number of the whole read among the reads on the device, or kAll
  std::uint32_t begin = 0;    // of the query's first base in the whole read
  std::uint32_t most_penalty = 0;

  static constexpr std::uint32_t kAll = ~std::uint32_t{0};  // all ranges are wanted
};

/// A read on some neighbouring diagonals, which lie in a contig.
struct DiagonalBand {
  const BaseBlock* strand = nullptr;
  const SetBlock* sets = nullptr;  // see DeviceComparison
  std::uint32_t length = 0;        // of the read
  std::int64_t first = 0;
  std::uint32_t count = 0;
  ContigSpan contig;

  /// Bit i: base 32 w + i of the read matches on diagonal `first` + d.
  TRAWL_HOST_DEVICE std::uint32_t matches(const ReferenceView& reference, std::uint32_t d, std::uint32_t w) const {
    if (d >= count) {
      return 0;
    }
    const std::int64_t position = first + d + 32 * static_cast<std::int64_t>(w);
    const auto inside = [position](std::uint64_t end) {
      const std::int64_t before = static_cast<std::int64_t>(end) - position;
      return low_bits(before <= 0 ? 0 : before >= 32 ? 32 : static_cast<unsigned>(before));
    };
    return ~DeviceComparison{reference, strand, sets}.differences(first + d, w) &
           inside(contig.offset + contig.length) & ~inside(contig.offset);
  }
};

/// Some values of a lane: one for each of its diagonals.
template <class T, unsigned kCount>
struct LaneValues {
  T of[kCount];
};

/// Scores after a base that matches or not, an inserted base, and deletions from diagonals of the same lane.
template <unsigned kLane, class Warp, class LaneScores, class LaneBits>
TRAWL_HOST_DEVICE inline LaneScores scores_of_row(const Warp& warp, const LaneScores& scores, const LaneBits& bits) {
  constexpr std::int32_t kPoints = align::kEditPoints;
  constexpr std::int32_t kNever = -(1 << 20);
  using Scores = LaneValues<std::int32_t, kLane>;
  using Bits = LaneValues<std::uint32_t, kLane>;
  const auto next_lane = warp.map([](unsigned lane) { return lane + 1; });
  const auto first = warp.map([](unsigned, const Scores& s) { return s.of[0]; }, scores);
  const auto after = warp.gather(first, next_lane, kNever);
  return warp.map(
      [](unsigned, const Scores& s, const Bits& match, std::int32_t next) {
        Scores out;
        TRAWL_UNROLL
        for (unsigned k = 0; k < kLane; ++k) {
          const std::int32_t diagonal = s.of[k] + ((match.of[k] & 1) != 0 ? 1 : 1 - kPoints);
          const std::int32_t insertion = (k + 1 < kLane ? s.of[k + 1 < kLane ? k + 1 : k] : next) + 1 - kPoints;
          const std::int32_t larger = diagonal > insertion ? diagonal : insertion;
          out.of[k] = larger > 0 ? larger : 0;
          if (k > 0) {
            const std::int32_t deletion = out.of[k > 0 ? k - 1 : 0] - kPoints;
            out.of[k] = out.of[k] > deletion ? out.of[k] : deletion;
          }
        }
        return out;
      },
      scores, bits, after);
}

/// Scores with deletions from the lanes before, over up to `gap_lanes` lanes and one more.
template <unsigned kLane, class Warp, class LaneScores>
TRAWL_HOST_DEVICE inline LaneScores with_deletions(const Warp& warp, const LaneScores& scores,
                                                   std::uint32_t gap_lanes) {
  constexpr std::int32_t kPoints = align::kEditPoints;
  constexpr std::int32_t kNever = -(1 << 20);
  using Scores = LaneValues<std::int32_t, kLane>;
  // Each step reaches twice as many lanes.
  auto last = warp.map([](unsigned, const Scores& s) { return s.of[kLane - 1]; }, scores);
  for (unsigned lanes = 1; lanes <= gap_lanes; lanes *= 2) {
    const std::int32_t loss = kPoints * static_cast<std::int32_t>(kLane * lanes);
    last = warp.map([loss](unsigned, std::int32_t here,
                           std::int32_t before) { return here > before - loss ? here : before - loss; },
                    last, warp.shift_up(last, lanes, kNever));
  }
  const auto before = warp.shift_up(last, 1, kNever);
  return warp.map(
      [](unsigned, Scores s, std::int32_t deleted) {
        TRAWL_UNROLL
        for (unsigned k = 0; k < kLane; ++k) {
          deleted -= kPoints;
          s.of[k] = s.of[k] > deleted ? s.of[k] : deleted;
        }
        return s;
      },
      scores, before);
}

/// The largest of a warp's values, none of which is negative.
template <class Warp, class LaneInts>
TRAWL_HOST_DEVICE inline std::int32_t largest_of(const Warp& warp, LaneInts best) {
  for (unsigned lanes = 1; lanes < match::kWarpLanes; lanes *= 2) {
    best = warp.map([](unsigned, std::int32_t a, std::int32_t b) { return a > b ? a : b; }, best,
                    warp.shift_up(best, lanes, 0));
  }
  std::int32_t result = 0;
  warp.map(
      [&result](unsigned, std::int32_t b) {
        result = b;
        return 0;
      },
      warp.broadcast(best, match::kWarpLanes - 1));
  return result;
}

/// The largest sum over an alignment of a piece of the read on the band's diagonals: 1 for each base, less
/// align::kEditPoints for each edit. Lane l has the diagonals from kLane l on; there are at most 32 kLane. The result
/// may be too small if the best alignment has more than `most_gaps` inserted and deleted bases, or if it is less than
/// `least`.
template <unsigned kLane, class Warp>
TRAWL_HOST_DEVICE inline std::int32_t best_score(const Warp& warp, const ReferenceView& reference,
                                                 const DiagonalBand& band, std::uint32_t most_gaps,
                                                 std::int32_t least) {
  using Scores = LaneValues<std::int32_t, kLane>;
  using Bits = LaneValues<std::uint32_t, kLane>;
  // A deletion reaches the next lane, and up to gap_lanes further ones.
  const std::uint32_t gap = most_gaps < band.count ? most_gaps : band.count;
  const std::uint32_t gap_lanes = gap == 0 ? 0 : (gap - 1) / kLane;
  auto scores = warp.spread(Scores{});
  auto best = warp.spread(std::int32_t{0});
  for (std::uint32_t row = 0; row < band.length;) {
    const auto rest = static_cast<std::int32_t>(band.length - row);
    const auto can_reach = warp.map(
        [rest, least](unsigned, std::int32_t b, const Scores& s) {
          TRAWL_UNROLL
          for (unsigned k = 0; k < kLane; ++k) {
            b = b > s.of[k] + rest ? b : s.of[k] + rest;
          }
          return b >= least;
        },
        best, scores);
    if (!warp.any(can_reach)) {
      break;
    }
    auto bits = warp.map([&](unsigned lane) {
      Bits here;
      TRAWL_UNROLL
      for (unsigned k = 0; k < kLane; ++k) {
        here.of[k] = band.matches(reference, kLane * lane + k, row / 32);
      }
      return here;
    });
    const std::uint32_t end = band.length - row < 32 ? band.length : row + 32;
    for (; row < end; ++row) {
      scores = scores_of_row<kLane>(warp, scores, bits);
      bits = warp.map(
          [](unsigned, Bits b) {
            TRAWL_UNROLL
            for (unsigned k = 0; k < kLane; ++k) {
              b.of[k] >>= 1;
            }
            return b;
          },
          bits);
      best = warp.map(
          [](unsigned, std::int32_t b, const Scores& s) {
            TRAWL_UNROLL
            for (unsigned k = 0; k < kLane; ++k) {
              b = b > s.of[k] ? b : s.of[k];
            }
            return b;
          },
          best, scores);
      scores = with_deletions<kLane>(warp, scores, gap_lanes);
    }
  }
  return largest_of(warp, best);
}

/// The ranges of some queries, as keys (see BuildRanges), and what is wanted of them.
struct LimitedRanges {
  const align::EndRange* ranges = nullptr;
  const std::uint32_t* count = nullptr;
  unsigned position_bits = 0;
  ReadsView queries;
  ReadsView reads;  // the whole ones, too
  const RangeLimit* limits = nullptr;
  std::uint32_t* scores = nullptr;  // of each range, or kUnknown

  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  TRAWL_HOST_DEVICE std::uint64_t strand(std::uint64_t i) const { return ranges[i].first >> position_bits; }
};

/// Item i is a range, or comes after the last one. For a warp.
struct ScoreRanges {
  ReferenceView reference;
  LimitedRanges limited;

  template <class Warp>
  TRAWL_HOST_DEVICE void operator()(std::uint64_t i, const Warp& warp) const {
    if (i >= *limited.count) {
      return;
    }
    const std::uint64_t strand = limited.strand(i);
    const RangeLimit limit = limited.limits[strand / 2];
    const std::uint32_t score = limit.read == RangeLimit::kAll ? LimitedRanges::kUnknown : find(i, strand, limit, warp);
    std::uint32_t* const scores = limited.scores;
    warp.map([=](unsigned lane) {
      if (lane == 0) {
        scores[i] = score;
      }
      return 0;
    });
  }

 private:
  static constexpr unsigned kMostLane = 4;
  static constexpr std::uint32_t kWidest = kMostLane * match::kWarpLanes;
  // Ranges that need more bands are always kept.
  static constexpr std::uint64_t kMostBands = 32;

  template <class Warp>
  TRAWL_HOST_DEVICE std::uint32_t find(std::uint64_t i, std::uint64_t strand, const RangeLimit& limit,
                                       const Warp& warp) const {
    const ReadEntry& query = limited.queries.reads[strand / 2];
    const std::uint64_t mask = (std::uint64_t{1} << limited.position_bits) - 1;
    const std::uint64_t first_end = limited.ranges[i].first & mask;
    const std::uint64_t diagonals = (limited.ranges[i].last & mask) - first_end + 1 + 2 * query.max_edits;
    const bool reverse = strand % 2 == 1;
    DiagonalBand band;
    band.strand = limited.reads.strand(2 * std::uint64_t{limit.read} + reverse);
    band.sets = limited.reads.sets_of(2 * std::uint64_t{limit.read} + reverse);
    band.length = limited.reads.reads[limit.read].length;
    const std::uint32_t query_end = reverse ? band.length - limit.begin : limit.begin + query.length;
    band.first = static_cast<std::int64_t>(first_end) + 1 - query_end - query.max_edits;
    band.count = static_cast<std::uint32_t>(diagonals);
    band.contig = reference.contigs[reference.contig_at(first_end)];
    // With more edits, the penalty is larger, or the score is not above 0.
    const std::uint32_t most_penalty = limit.most_penalty < band.length ? limit.most_penalty : band.length - 1;
    const std::uint32_t most_gaps = most_penalty / align::kEditPoints;
    const auto least = static_cast<std::int32_t>(band.length - most_penalty);
    if (diagonals <= match::kWarpLanes) {
      return static_cast<std::uint32_t>(best_score<1>(warp, reference, band, most_gaps, least));
    }
    if (diagonals <= 2 * match::kWarpLanes) {
      return static_cast<std::uint32_t>(best_score<2>(warp, reference, band, most_gaps, least));
    }
    return find_in_bands(band, diagonals, most_gaps, least, warp);
  }

  // Neighbouring bands overlap, so that every alignment lies in one of them.
  template <class Warp>
  TRAWL_HOST_DEVICE std::uint32_t find_in_bands(DiagonalBand band, std::uint64_t diagonals, std::uint32_t most_gaps,
                                                std::int32_t least, const Warp& warp) const {
    if (diagonals > kWidest &&
        (most_gaps >= kWidest || diagonals > kWidest + (kMostBands - 1) * (kWidest - most_gaps))) {
      return LimitedRanges::kUnknown;
    }
    std::int32_t best = 0;
    while (true) {
      band.count = diagonals < kWidest ? static_cast<std::uint32_t>(diagonals) : kWidest;
      const std::int32_t score = best_score<kMostLane>(warp, reference, band, most_gaps, least);
      best = best > score ? best : score;
      if (diagonals <= kWidest) {
        return static_cast<std::uint32_t>(best);
      }
      diagonals -= kWidest - most_gaps;
      band.first += kWidest - most_gaps;
    }
  }
};

/// Item i is a range, or comes after the last one: says whether it is wanted.
struct MarkWanted {
  LimitedRanges limited;
  std::uint32_t* marks;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const { marks[i] = i < *limited.count && is_wanted(i); }

 private:
  TRAWL_HOST_DEVICE bool is_wanted(std::uint64_t i) const {
    const std::uint32_t score = limited.scores[i];
    if (score == LimitedRanges::kUnknown) {
      return true;
    }
    const RangeLimit& limit = limited.limits[limited.strand(i) / 2];
    return limited.reads.reads[limit.read].length - score <= limit.most_penalty;
  }
};

}  // namespace trawl::gpu
