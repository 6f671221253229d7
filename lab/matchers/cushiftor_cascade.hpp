// Shift-Or and Wu-Manber as inclusive scans (Mitani, Ino and Hagihara 2017). The step from one column to the next is an
// associative operator. So a prefix scan can compute the columns of all text positions in parallel.
//
// A run of u text characters acts on a column R as   R -> ((R << u) & ~x) | y,
// and two runs, the left one first, compose to       (u1 + u2, (x1 << u2) | x2, ((y1 << u2) & ~x2) | y2).
// Shift-Or has x = 0: one character with pattern mask M (0 where it matches) is (1, M), the composition
// (u1 + u2, (y1 << u2) | y2). For Wu-Manber's level d >= 1,
//   N_j = R_{d-1}[j-1] & (R_{d-1}[j-1] << 1) & (R_{d-1}[j] << 1)
// and the character is (1, (~N_j, M_j & N_j)); the level starts from 1..1 0^d.
// A shift by as many bits as the word has leaves nothing. So only the last characters before a position matter.
//
// cuShiftOr's cascade (Mitani, Ino and Hagihara 2017, sections 4 and 5), for one warp segment of 32 * kAlpha text
// characters. Each lane works through its kAlpha characters, a scan combines the lanes, and at the end the effect of
// what lies left of the segment is added. This is done level by level, because level d needs all columns of level d -
// 1.
//
//   WarpSegment<HostWarp, std::uint32_t, 8, 2> segment(warp, pattern);
//   segment.load(masks);                                    // M_j of each lane's characters
//   for each level d from 0 to 2:
//     auto total = segment.scan<d>();                       // what the whole segment does to a column of level d
//     segment.finish<d>(left_column);                       // the column of level d before the segment
//   segment.misses()                            // bit kAlpha - 1 - r: no match ends at the lane's character r
//
// The pattern's last row is the top bit of the word. The rows below the pattern are 0 in every mask, and so in every
// column, like the rows that Shift-Or shifts in. With kWildcards the pattern ends with kAlpha - 1 wildcards, which take
// no edits. Then the column after a lane's last character shows the matches at all characters of the lane, and the last
// addition need not be done for every column. This needs m <= bits - kAlpha + 1.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "base/with_constant.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/pattern.hpp"
#include "match/warp.hpp"

namespace trawl::matchers {

/// `word` << `shift`; 0 if all bits are shifted out.
template <class Word>
TRAWL_HOST_DEVICE constexpr Word shift_out(Word word, unsigned shift) {
  return shift < 8 * sizeof(Word) ? static_cast<Word>(word << shift) : Word{0};
}

/// The high word of the number `high`:`low` after a left shift by `shift` <= 31.
TRAWL_HOST_DEVICE inline std::uint32_t funnel_left(std::uint32_t low, std::uint32_t high, unsigned shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_l(low, high, shift);
#else
  return shift == 0 ? high : (high << shift) | (low >> (32 - shift));
#endif
}

/// The low word of the number `high`:`low` after a right shift by `shift` <= 31.
TRAWL_HOST_DEVICE inline std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high, unsigned shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, shift);
#else
  return shift == 0 ? low : (low >> shift) | (high << (32 - shift));
#endif
}

/// The effect of a run of characters on a Shift-Or column.
template <class Word>
struct ShiftOrRun {
  Word mask = 0;

  TRAWL_HOST_DEVICE static constexpr ShiftOrRun character(Word mask, Word /*allowed*/) { return {mask}; }

  /// This run followed by `next`, which has `next_length` characters.
  TRAWL_HOST_DEVICE constexpr ShiftOrRun then(const ShiftOrRun& next, unsigned next_length) const {
    return {static_cast<Word>(shift_out(mask, next_length) | next.mask)};
  }

  /// The column after this run of `length` characters.
  TRAWL_HOST_DEVICE constexpr Word apply(Word column, unsigned length) const {
    return static_cast<Word>(shift_out(column, length) | mask);
  }
};

/// The effect of a run of characters on a column of Wu-Manber's level d >= 1.
template <class Word>
struct WuManberRun {
  Word x = 0;
  Word y = 0;

  /// The run of one character: `mask` is M_j, `allowed` is N_j.
  TRAWL_HOST_DEVICE static constexpr WuManberRun character(Word mask, Word allowed) {
    return {static_cast<Word>(~allowed), static_cast<Word>(mask & allowed)};
  }

  TRAWL_HOST_DEVICE constexpr WuManberRun then(const WuManberRun& next, unsigned next_length) const {
    return {static_cast<Word>(shift_out(x, next_length) | next.x),
            static_cast<Word>((shift_out(y, next_length) & static_cast<Word>(~next.x)) | next.y)};
  }

  TRAWL_HOST_DEVICE constexpr Word apply(Word column, unsigned length) const {
    return static_cast<Word>((shift_out(column, length) & static_cast<Word>(~x)) | y);
  }
};

/// N_j of a level, from two columns of the level below: at the position before, and at this position.
template <class Word>
TRAWL_HOST_DEVICE constexpr Word edits_allowed(Word below_before, Word below_here) {
  return static_cast<Word>(below_before & static_cast<Word>(below_before << 1) & static_cast<Word>(below_here << 1));
}

/// How many segments of `length` characters early a stretch must begin.
TRAWL_HOST_DEVICE constexpr unsigned early_segments(unsigned m, unsigned max_edits, unsigned length) {
  return (halo_length(m, max_edits) + length - 1) / length;
}

/// The column left of warp `warp`'s segment. It is computed from `start`, the column before the block, and from the
/// runs of the warps before it in the block.
template <class Word, class Run>
TRAWL_HOST_DEVICE inline Word column_before(const Run* totals, unsigned warp, unsigned segment_length, Word start) {
  // Only warps within a distance of a word's bits have an effect.
  constexpr unsigned bits = 8 * sizeof(Word);
  const unsigned reach = (bits + segment_length - 1) / segment_length;
  const unsigned first = warp > reach ? warp - reach : 0;
  Word column = start;
  for (unsigned w = first; w < warp; ++w) {
    column = totals[w].apply(column, segment_length);
  }
  return column;
}

/// An array that device code can use too.
template <class T, unsigned kSize>
struct Few {
  T values[kSize];
  TRAWL_HOST_DEVICE constexpr T& operator[](unsigned i) { return values[i]; }
  TRAWL_HOST_DEVICE constexpr const T& operator[](unsigned i) const { return values[i]; }
};

/// The inclusive scan of one run per lane, each with `length` characters. After it, lane i holds the composition of
/// runs 0 to i.
template <class Run, class Warp>
TRAWL_HOST_DEVICE inline typename Warp::template Value<Run> inclusive_scan(const Warp& warp,
                                                                           typename Warp::template Value<Run> runs,
                                                                           unsigned length, unsigned bits) {
  // Runs that are as far apart as a word has bits do not affect each other.
  for (unsigned delta = 1; delta < match::kWarpLanes && delta * length < bits; delta *= 2) {
    const auto left = warp.shift_up(runs, delta, Run{});
    runs = warp.map([=](unsigned lane, const Run& before,
                        const Run& here) { return lane < delta ? here : before.then(here, delta * length); },
                    left, runs);
  }
  return runs;
}

/// The rows that are 0 in every mask of a cascade: those below the pattern of `m` characters and its wildcards.
template <class Word>
constexpr Word free_rows(unsigned m, unsigned wildcards) {
  constexpr unsigned bits = 8 * sizeof(Word);
  const Word below = static_cast<Word>(shift_out(Word{1}, bits - m - wildcards) - 1);
  return wildcards == 0 ? below : static_cast<Word>(below | static_cast<Word>(~Word{0} << (bits - wildcards)));
}

/// The masks of a cascade. Pattern and wildcards together must not have more characters than a Word has bits.
template <class Word>
std::array<Word, 256> cascade_masks(std::string_view pattern, unsigned wildcards) {
  const auto m = static_cast<unsigned>(pattern.size());
  const unsigned below = 8 * sizeof(Word) - m - wildcards;
  Word of_pattern[256];
  fill_pattern_masks(pattern, of_pattern);
  std::array<Word, 256> masks;
  std::transform(of_pattern, of_pattern + 256, masks.begin(),
                 [&](Word mask) { return static_cast<Word>(shift_out(mask, below) & ~free_rows<Word>(m, wildcards)); });
  return masks;
}

template <class Warp, class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
class WarpSegment {
 public:
  static constexpr unsigned kBits = 8 * sizeof(Word);
  static constexpr unsigned kLength = match::kWarpLanes * kAlpha;  // characters
  static constexpr unsigned kWildcardRows = kWildcards ? kAlpha - 1 : 0;
  template <class T>
  using Value = typename Warp::template Value<T>;
  using Columns = Few<Word, kAlpha>;
  template <unsigned kLevel>
  using Run = std::conditional_t<kLevel == 0, ShiftOrRun<Word>, WuManberRun<Word>>;

  /// `m`: the pattern's length, without wildcards.
  TRAWL_HOST_DEVICE WarpSegment(const Warp& warp, unsigned m)
      : warp_(warp), below_pattern_(kBits - m - kWildcardRows) {}

  /// Takes the masks (cascade_masks()) of each lane's characters.
  TRAWL_HOST_DEVICE void load(const Value<Columns>& masks) { masks_ = masks; }

  /// The column of a level before the first character of a text.
  TRAWL_HOST_DEVICE Word start(unsigned level) const {
    return shift_out(static_cast<Word>(~Word{0}), below_pattern_ + level);
  }

  /// The effect of the whole segment on a column of the level; the same in every lane.
  template <unsigned kLevel>
  TRAWL_HOST_DEVICE Run<kLevel> scan() {
    if constexpr (kLevel > 0) {
      // Computes N_j for all characters and stores it in place of the columns of the level below.
      below_ = warp_.map(
          [](unsigned, const Columns& below, const Word& before) {
            constexpr Word kWild = free_rows<Word>(kBits - kWildcardRows, kWildcardRows);
            Columns allowed;
            Word last = before;
            TRAWL_UNROLL
            for (unsigned i = 0; i < kAlpha; ++i) {
              allowed[i] = static_cast<Word>(edits_allowed(last, below[i]) | kWild);
              last = below[i];
            }
            return allowed;
          },
          below_, before_);
    }
    const auto lane_runs = warp_.map(
        [](unsigned, const Columns& masks, const Columns& allowed) {
          auto run = Run<kLevel>::character(masks[0], allowed[0]);
          TRAWL_UNROLL
          for (unsigned i = 1; i < kAlpha; ++i) {
            run = run.then(Run<kLevel>::character(masks[i], allowed[i]), 1);
          }
          return run;
        },
        masks_, below_);
    const auto runs = inclusive_scan<Run<kLevel>>(warp_, lane_runs, kAlpha, kBits);
    if constexpr (kWildcards && kLevel == kEdits) {
      last_runs_ = runs;
    } else {
      // The characters between the segment's begin and each lane.
      const auto before = warp_.shift_up(runs, 1, Run<kLevel>{});
      if constexpr (kLevel == 0) {
        before_exact_ = before;
      } else {
        before_edits_ = before;
      }
    }
    return first_of(warp_.broadcast(runs, match::kWarpLanes - 1));
  }

  /// Adds the effect of what lies left of the segment. `left` is the column of the level before its first character.
  template <unsigned kLevel>
  TRAWL_HOST_DEVICE void finish(Word left) {
    if constexpr (kWildcards && kLevel == kEdits) {
      misses_ = warp_.map(
          [=](unsigned lane, const Run<kLevel>& run) {
            return static_cast<unsigned>(run.apply(left, kAlpha * (lane + 1)) >> (kBits - kAlpha));
          },
          last_runs_);
    } else {
      const auto apply = [=](unsigned lane, const Run<kLevel>& run) {
        return lane == 0 ? left : run.apply(left, kAlpha * lane);
      };
      if constexpr (kLevel == 0) {
        before_ = warp_.map(apply, before_exact_);
      } else {
        before_ = warp_.map(apply, before_edits_);
      }
      below_ = warp_.map(
          [](unsigned, const Columns& masks, const Columns& allowed, const Word& before) {
            Columns columns;
            Word column = before;
            TRAWL_UNROLL
            for (unsigned i = 0; i < kAlpha; ++i) {
              column = character_applied<kLevel>(masks[i], allowed[i], column);
              columns[i] = column;
            }
            return columns;
          },
          masks_, below_, before_);
      if constexpr (kLevel == kEdits) {
        misses_ = warp_.map(
            [](unsigned, const Columns& columns) {
              unsigned misses = 0;
              TRAWL_UNROLL
              for (unsigned i = 0; i < kAlpha; ++i) {
                misses = funnel_left(static_cast<std::uint32_t>(columns[i] >> (kBits - 32)), misses, 1);
              }
              return misses;
            },
            below_);
      }
    }
  }

  /// Runs all levels, for streamed segments. For each level, `left` is the column before the segment; it is replaced by
  /// the segment's last column.
  TRAWL_HOST_DEVICE void run(Word (&left)[kEdits + 1]) { run_from<0>(left); }

  /// Valid after finish<kEdits>(): bit kAlpha - 1 - r of a lane is 0 if a match with at most kEdits edits ends at the
  /// lane's character r. The bits above these are undefined.
  TRAWL_HOST_DEVICE const Value<unsigned>& misses() const { return misses_; }

 private:
  template <unsigned kLevel>
  TRAWL_HOST_DEVICE static constexpr Word character_applied(Word mask, Word allowed, Word column) {
    if constexpr (kLevel == 0) {
      return static_cast<Word>(static_cast<Word>(column << 1) | mask);
    } else {
      return static_cast<Word>((static_cast<Word>(column << 1) | mask) & allowed);
    }
  }

  template <unsigned kLevel>
  TRAWL_HOST_DEVICE void run_from(Word (&left)[kEdits + 1]) {
    const auto total = scan<kLevel>();
    finish<kLevel>(left[kLevel]);
    left[kLevel] = total.apply(left[kLevel], kLength);
    if constexpr (kLevel < kEdits) {
      run_from<kLevel + 1>(left);
    }
  }

  template <class T>
  TRAWL_HOST_DEVICE static const T& first_of(const T& run) {
    return run;
  }
  template <class T>
  TRAWL_HOST_DEVICE static const T& first_of(const std::array<T, match::kWarpLanes>& runs) {
    return runs.front();
  }

  const Warp& warp_;
  unsigned below_pattern_;
  Value<Columns> masks_{};
  Value<Columns> below_{};  // the columns of the level below, then that level's N
  Value<Word> before_{};    // the column of the level below before each lane's first character
  Value<ShiftOrRun<Word>> before_exact_{};
  Value<WuManberRun<Word>> before_edits_{};
  Value<Run<kEdits>> last_runs_{};
  Value<unsigned> misses_{};
};

/// Calls f(segments, alpha, edits, wildcards) with integral constants for a variant of the cascade that is in this
/// build. The settings must come from resolve().
template <class Word>
void with_cushiftor_variant(const CuShiftOrSettings& s, auto&& f) {
  constexpr unsigned kAlphas = 5, kForms = 2 * kAlphas;  // a form: segments, alpha and wildcards
  const unsigned form = static_cast<unsigned>(s.segments) * kForms +
                        static_cast<unsigned>(std::countr_zero(s.alpha)) * 2 + (s.wildcards ? 1 : 0);
  with_constant<3 * kForms - 1>(form, [&]<class Form>(Form) {
    constexpr auto kSegments = static_cast<Segments>(Form::value / kForms);
    constexpr unsigned kAlpha = 1u << (Form::value % kForms / 2);
    constexpr bool kWildcards = Form::value % 2 == 1;
    with_constant<8>(s.max_edits, [&]<class Edits>(Edits edits) {
      if constexpr (cushiftor_is_built(8 * sizeof(Word), kAlpha, Edits::value, kWildcards, kSegments)) {
        f(std::integral_constant<Segments, kSegments>(), std::integral_constant<unsigned, kAlpha>(), edits,
          std::bool_constant<kWildcards>());
      } else {
        throw std::invalid_argument("settings that resolve() refuses");
      }
    });
  });
}

}  // namespace trawl::matchers
