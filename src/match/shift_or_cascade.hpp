// cuShiftOr's cascade (Mitani, Ino and Hagihara 2017, sections 4 and 5): one warp segment of 32 * kAlpha text
// characters. Every lane runs over its kAlpha characters one after the other, the lanes are combined by a scan, and
// what comes from the left of the segment is added last. Level by level, because level d needs all columns of level d
// - 1.
//
//   WarpSegment<HostWarp, std::uint32_t, 8, 2> segment(warp, pattern);
//   segment.load(masks);                                    // M_j of each lane's characters
//   for (unsigned d = 0; d <= 2; ++d) {
//     auto total = segment.scan(d);                         // what the whole segment does to a column of level d
//     segment.finish(d, left_column);                       // the column of level d before the segment
//   }
//   segment.ends()                                          // bit r: a match ends at the lane's character r
//
// With kWildcards the pattern ends in kAlpha - 1 wildcards, which take no edits: the column behind a lane's last
// character then tells the matches at all of its characters, and the last addition to every column is skipped. That
// needs m <= bits - kAlpha + 1.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "match/host_device.hpp"
#include "match/scan_operators.hpp"
#include "match/warp.hpp"

namespace trawl::match {

/// How the segments of a block's warps meet: each waits for what its left neighbours hand over, or each begins
/// halo_length() characters early and needs nobody. Blocks always begin early.
enum class Segments { disjoint, overlapping };

/// Characters that a segment must begin early so that all its columns are right: a match has at most m + k of them.
/// A multiple of 32, so that 32 positions of packed bits are written by one warp.
TRAWL_HOST_DEVICE constexpr unsigned halo_length(unsigned m, unsigned max_edits) {
  return (m + max_edits + 31) / 32 * 32;
}

/// The column of `level` left of warp `warp`'s segment, from the runs of the warps before it in the block.
template <class Word, class Run>
TRAWL_HOST_DEVICE inline Word column_before(const Run* totals, unsigned warp, unsigned segment_length, unsigned level) {
  // Only the warps within a word's bits matter; the block's first column is the start column.
  constexpr unsigned bits = 8 * sizeof(Word);
  const unsigned reach = (bits + segment_length - 1) / segment_length;
  const unsigned first = warp > reach ? warp - reach : 0;
  Word column = start_column<Word>(level);
  for (unsigned w = first; w < warp; ++w) {
    column = totals[w].apply(column, segment_length);
  }
  return column;
}

/// An array that device code may use too.
template <class T, unsigned kSize>
struct Few {
  T values[kSize];
  TRAWL_HOST_DEVICE constexpr T& operator[](unsigned i) { return values[i]; }
  TRAWL_HOST_DEVICE constexpr const T& operator[](unsigned i) const { return values[i]; }
};

/// The inclusive scan of one run a lane, each of `length` characters: afterwards lane i holds runs 0 to i.
template <class Run, class Warp>
TRAWL_HOST_DEVICE inline typename Warp::template Value<Run> inclusive_scan(const Warp& warp,
                                                                           typename Warp::template Value<Run> runs,
                                                                           unsigned length, unsigned bits) {
  // Runs that a shift by the word's bits separates do not meet.
  for (unsigned delta = 1; delta < kWarpLanes && delta * length < bits; delta *= 2) {
    const auto left = warp.shift_up(runs, delta, Run{});
    runs = warp.map([=](unsigned lane, const Run& before,
                        const Run& here) { return lane < delta ? here : before.then(here, delta * length); },
                    left, runs);
  }
  return runs;
}

template <class Warp, class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
class WarpSegment {
 public:
  static constexpr unsigned kBits = 8 * sizeof(Word);
  static constexpr unsigned kLength = kWarpLanes * kAlpha;  // characters
  template <class T>
  using Value = typename Warp::template Value<T>;
  using Columns = Few<Word, kAlpha>;
  using Run = std::conditional_t<kEdits == 0, ShiftOrRun<Word>, WuManberRun<Word>>;

  /// `m`: the pattern's length without the wildcards.
  TRAWL_HOST_DEVICE WarpSegment(const Warp& warp, unsigned m) : warp_(warp), m_(m) {}

  /// The masks of each lane's characters: bit i is 0 where pattern character i matches, or is a wildcard behind the
  /// pattern (wildcard_rows()).
  TRAWL_HOST_DEVICE void load(const Value<Columns>& masks) { masks_ = masks; }

  /// The rows of the wildcards.
  TRAWL_HOST_DEVICE static constexpr Word wildcard_rows(unsigned m) {
    return kWildcards ? static_cast<Word>(shift_out(static_cast<Word>((Word{1} << (kAlpha - 1)) - 1), m)) : Word{0};
  }

  /// What the whole segment does to a column of `level`; the same in every lane.
  TRAWL_HOST_DEVICE Run scan(unsigned level) {
    const Word wild = wildcard_rows(m_);
    if (level > 0) {
      // N_j for all characters, in place of the columns of the level below.
      below_ = warp_.map(
          [=](unsigned, const Columns& below, const Word& before) {
            Columns allowed;
            Word last = before;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (unsigned i = 0; i < kAlpha; ++i) {
              allowed[i] = static_cast<Word>(edits_allowed(last, below[i]) | wild);
              last = below[i];
            }
            return allowed;
          },
          below_, before_);
    }
    const auto lane_runs = warp_.map(
        [=](unsigned, const Columns& masks, const Columns& allowed) {
          Run run = character(level, masks[0], allowed[0]);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
          for (unsigned i = 1; i < kAlpha; ++i) {
            run = run.then(character(level, masks[i], allowed[i]), 1);
          }
          return run;
        },
        masks_, below_);
    runs_ = inclusive_scan<Run>(warp_, lane_runs, kAlpha, kBits);
    return last_lane(runs_);
  }

  /// Adds what lies left of the segment: `left` is the column of `level` before its first character.
  TRAWL_HOST_DEVICE void finish(unsigned level, Word left) {
    if (kWildcards && level == kEdits) {
      const unsigned m = m_;
      ends_ = warp_.map(
          [=](unsigned lane, const Run& run) {
            const Word column = run.apply(left, kAlpha * (lane + 1));
            unsigned ends = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (unsigned i = 0; i < kAlpha; ++i) {
              ends |= static_cast<unsigned>(((column >> (m - 1 + kAlpha - 1 - i)) & 1) == 0) << i;
            }
            return ends;
          },
          runs_);
      return;
    }
    const auto runs_before = warp_.shift_up(runs_, 1, Run{});
    before_ = warp_.map(
        [=](unsigned lane, const Run& run) { return lane == 0 ? left : run.apply(left, kAlpha * lane); }, runs_before);
    below_ = warp_.map(
        [=](unsigned, const Columns& masks, const Columns& allowed, const Word& before) {
          Columns columns;
          Word column = before;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
          for (unsigned i = 0; i < kAlpha; ++i) {
            column = character(level, masks[i], allowed[i]).apply(column, 1);
            columns[i] = column;
          }
          return columns;
        },
        masks_, below_, before_);
    if (level == kEdits) {
      const unsigned m = m_;
      ends_ = warp_.map(
          [=](unsigned, const Columns& columns) {
            unsigned ends = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (unsigned i = 0; i < kAlpha; ++i) {
              ends |= static_cast<unsigned>(((columns[i] >> (m - 1)) & 1) == 0) << i;
            }
            return ends;
          },
          below_);
    }
  }

  /// After finish(kEdits): bit r of a lane says that a match with at most kEdits edits ends at its character r.
  TRAWL_HOST_DEVICE const Value<unsigned>& ends() const { return ends_; }

 private:
  // Level 0 has no edits to allow: N is all ones.
  TRAWL_HOST_DEVICE static constexpr Run character(unsigned level, Word mask, Word allowed) {
    return Run::character(mask, level == 0 ? static_cast<Word>(~Word{0}) : allowed);
  }

  TRAWL_HOST_DEVICE Run last_lane(const Value<Run>& runs) const {
    return first_of(warp_.broadcast(runs, kWarpLanes - 1));
  }
  TRAWL_HOST_DEVICE static const Run& first_of(const Run& run) { return run; }
  TRAWL_HOST_DEVICE static const Run& first_of(const std::array<Run, kWarpLanes>& runs) { return runs.front(); }

  const Warp& warp_;
  unsigned m_;
  Value<Columns> masks_{};
  Value<Columns> below_{};  // the columns of the level below, then that level's N
  Value<Word> before_{};    // the column of the level below before each lane's first character
  Value<Run> runs_{};
  Value<unsigned> ends_{};
};

}  // namespace trawl::match
