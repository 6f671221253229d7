// One row of WsPASM (Ho, Oh and Kim 2017): a warp computes one row of the Levenshtein matrix for 32 * kColumns text
// positions at once. Each lane holds kColumns neighbouring columns. Two values come from other lanes by shuffle: the
// column to the left, from the left neighbour, and the result of a run of insertions, from the lane that X names. That
// is the lane with the last occurrence of the row's letter before this lane.
//
//   WspasmSegment<HostWarp> segment(warp);
//   for each segment of the text, from left to right:
//     segment.start(before[0]);                                    // row 0
//     for (unsigned i = 1; i <= m; ++i) {
//       after[i] = segment.row(x of pattern[i - 1], before[i - 1], before[i]);
//     }
//     segment.ends(max_edits)                                      // bit c: D <= max_edits at the lane's column c
//
// Cells are stored as E[i][j] = D[i][j] - j. In this form a run of insertions costs nothing:
//   E[i][j] = min(E[i-1][j-1] - (p_i = t_j), E[i-1][j] + 1, E[i][X]),   X the last column before j with t_X = p_i.
// Within a lane the left neighbour is used instead of X. That is a run of insertions too, so it is never smaller than
// the true value, and it is never worse than X. For the same reason X's lane sends its last column. If no lane has the
// letter, the last column of the segment before is used. `before` and `after` are E in the column before the segment
// and in its last column.
#pragma once

#include <bit>
#include <cstdint>

#include "base/host_device.hpp"
#include "lab/matchers/cushiftor_cascade.hpp"
#include "match/warp.hpp"

namespace trawl::matchers {

inline constexpr unsigned kRowColumns = 16;  // 1 in the paper

/// X for one letter and one lane.
struct alignas(8) LastOccurrence {
  std::uint32_t here = 0;     // bit c: the lane's column c holds the letter
  std::uint32_t source = 32;  // the nearest lane to the left that holds it; 32: none
};

template <class Warp, unsigned kColumns = kRowColumns>
class WspasmSegment {
 public:
  static constexpr unsigned kLength = match::kWarpLanes * kColumns;
  template <class T>
  using Value = typename Warp::template Value<T>;
  using Cells = Few<std::int32_t, kColumns>;

  TRAWL_HOST_DEVICE explicit WspasmSegment(const Warp& warp) : warp_(warp) {}

  /// X, from bits that mark the columns that hold a letter.
  TRAWL_HOST_DEVICE Value<LastOccurrence> last_occurrence(const Value<std::uint32_t>& here) const {
    const std::uint32_t lanes = warp_.ballot(warp_.map([](unsigned, std::uint32_t bits) { return bits != 0; }, here));
    return warp_.map(
        [=](unsigned lane, std::uint32_t bits) {
          const std::uint32_t left = lanes & ((std::uint32_t{1} << lane) - 1);
          return LastOccurrence{bits, left == 0 ? 32u : 31u - leading_zeros(left)};
        },
        here);
  }

  /// Starts row 0 of the next segment. D is 0 in this row, so `before` is minus the index of the column before the
  /// segment.
  TRAWL_HOST_DEVICE void start(std::int32_t before) {
    cells_ = warp_.map(
        [=](unsigned lane, unsigned) {
          Cells cells;
          for (unsigned c = 0; c < kColumns; ++c) {
            cells[c] = before - static_cast<std::int32_t>(lane * kColumns + c + 1);
          }
          return cells;
        },
        warp_.spread(0u));
  }

  /// Computes the next row. `before_above` and `before` are the cells to the left of the segment, in the row above and
  /// in this row. Returns each lane's last cell.
  TRAWL_HOST_DEVICE Value<std::int32_t> row(const Value<LastOccurrence>& x, std::int32_t before_above,
                                            std::int32_t before) {
    const auto last = [](unsigned, const Cells& cells) { return cells.values[kColumns - 1]; };
    const auto diagonal = warp_.shift_up(warp_.map(last, cells_), 1, before_above);
    cells_ = warp_.map(
        [](unsigned, const Cells& above, std::int32_t left_above, const LastOccurrence& at) {
          Cells cells;
          std::int32_t run = INT32_MAX;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
          for (unsigned c = 0; c < kColumns; ++c) {
            const auto match = static_cast<std::int32_t>((at.here >> c) & 1);
            run = smaller(run, smaller(left_above - match, above[c] + 1));
            left_above = above[c];
            cells[c] = run;
          }
          return cells;
        },
        cells_, diagonal, x);
    const auto source = warp_.map([](unsigned, const LastOccurrence& at) { return at.source; }, x);
    const auto inserted = warp_.gather(warp_.map(last, cells_), source, before);
    cells_ = warp_.map(
        [](unsigned, const Cells& partial, std::int32_t from_left) {
          Cells cells;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
          for (unsigned c = 0; c < kColumns; ++c) {
            cells[c] = smaller(partial[c], from_left);
          }
          return cells;
        },
        cells_, inserted);
    return warp_.map(last, cells_);
  }

  /// Bit c of a lane is 1 if D <= max_edits at the lane's column c. `before`: as given to start().
  TRAWL_HOST_DEVICE Value<unsigned> ends(std::int32_t before, std::int32_t max_edits) const {
    return warp_.map(
        [=](unsigned lane, const Cells& cells) {
          unsigned bits = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
          for (unsigned c = 0; c < kColumns; ++c) {
            const std::int32_t column = static_cast<std::int32_t>(lane * kColumns + c + 1) - before;
            bits |= static_cast<unsigned>(cells[c] + column <= max_edits) << c;
          }
          return bits;
        },
        cells_);
  }

 private:
  TRAWL_HOST_DEVICE static std::int32_t smaller(std::int32_t a, std::int32_t b) { return b < a ? b : a; }
  TRAWL_HOST_DEVICE static unsigned leading_zeros(std::uint32_t word) {
#ifdef __CUDA_ARCH__
    return static_cast<unsigned>(__clz(static_cast<int>(word)));
#else
    return static_cast<unsigned>(std::countl_zero(word));
#endif
  }

  const Warp& warp_;
  Value<Cells> cells_{};
};

}  // namespace trawl::matchers
