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

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/cushiftor_cascade.hpp"
#include "lab/matchers/cushiftor_on_host.hpp"
#include "match/warp.hpp"

namespace trawl::matchers {

inline constexpr unsigned kRowColumns = 16;  // 1 in the paper

/// Bit i is the value of lane i. Every lane gets the same result.
inline std::uint32_t ballot(const match::HostWarp&, const match::HostWarp::Value<bool>& v) {
  std::uint32_t bits = 0;
  for (unsigned lane = 0; lane < match::kWarpLanes; ++lane) {
    bits |= std::uint32_t{v[lane]} << lane;
  }
  return bits;
}
#ifdef __CUDACC__
__device__ inline std::uint32_t ballot(const match::DeviceWarp&, bool v) { return __ballot_sync(match::kAllLanes, v); }
#endif

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
    const std::uint32_t lanes = ballot(warp_, warp_.map([](unsigned, std::uint32_t bits) { return bits != 0; }, here));
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
          TRAWL_UNROLL
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
          TRAWL_UNROLL
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
          TRAWL_UNROLL
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

/// WsPASM over a whole text on the host, stretch by stretch: the CPU twin of WsPASM in lab/kernels/wspasm.cu.
///
/// ends[j] is 1 if a match of `pattern` with at most `max_edits` edits ends at text position j. `stretch`: the number
/// of segments, of 32 * kColumns columns each, that one warp computes.
template <unsigned kColumns = kRowColumns>
std::vector<std::uint8_t> wspasm_on_host(std::string_view text, std::string_view pattern, unsigned max_edits,
                                         std::size_t stretch) {
  using Segment = WspasmSegment<match::HostWarp, kColumns>;
  const match::HostWarp warp;
  const std::size_t m = pattern.size();
  const std::size_t early = (m + max_edits + Segment::kLength - 1) / Segment::kLength;
  return ends_by_stretches<Segment::kLength>(text, stretch, early, [&] {
    std::vector<std::int32_t> before(m + 1), after(m + 1);
    for (std::size_t i = 0; i <= m; ++i) {
      before[i] = static_cast<std::int32_t>(i);
    }
    return [&, segment = Segment(warp), before, after](std::size_t begin) mutable {
      segment.start(before[0]);
      for (std::size_t i = 1; i <= m; ++i) {
        const auto here = warp.map(
            [&](unsigned lane, unsigned) {
              std::uint32_t bits = 0;
              for (unsigned c = 0; c < kColumns; ++c) {
                const std::size_t j = begin + lane * kColumns + c;
                bits |= std::uint32_t{j < text.size() && text[j] == pattern[i - 1]} << c;
              }
              return bits;
            },
            warp.spread(0u));
        after[i] = segment.row(segment.last_occurrence(here), before[i - 1], before[i]).back();
      }
      after[0] = before[0] - static_cast<std::int32_t>(Segment::kLength);
      const auto found = segment.ends(before[0], static_cast<std::int32_t>(max_edits));
      before.swap(after);
      return [found](std::size_t i) { return ((found[i / kColumns] >> (i % kColumns)) & 1) != 0; };
    };
  });
}

/// The CPU twin of PASM in lab/kernels/wspasm.cu. It computes the Levenshtein matrix row by row with the help of X, the
/// last occurrence of each pattern character (Ho, Oh and Kim 2017, equations in lab/kernels/paper_kernels.hpp). No cell
/// depends on other cells of its row.
///
/// D[i][j] for i, j >= 1, with above(j) = D[i-1][j]. `matches`: whether column j holds the row's letter. If not, x()
/// must give the last column before j that holds it, or 0.
template <class Above, class X>
TRAWL_HOST_DEVICE unsigned pasm_cell(unsigned i, unsigned j, bool matches, Above&& above, X&& x) {
  unsigned cell = above(j - 1);
  if (!matches) {
    const unsigned last = x();
    const unsigned gap = last == 0 ? i + j - 1 : above(last - 1) + j - 1 - last;
    const unsigned vertical = above(j);
    cell = cell < vertical ? cell : vertical;
    cell = 1 + (cell < gap ? cell : gap);
  }
  return cell;
}

/// ends[j] is 1 if a match of `pattern` with at most `max_edits` edits ends at text position j. The text must have
/// fewer than 2^32 characters minus the pattern's length.
inline std::vector<std::uint8_t> pasm_on_host(std::string_view text, std::string_view pattern, unsigned max_edits) {
  const std::size_t n = text.size();
  std::vector<unsigned> above(n + 1, 0);  // column 0 is before the first character
  std::vector<unsigned> row(n + 1);
  for (unsigned i = 1; i <= pattern.size(); ++i) {
    unsigned x = 0;  // the last column up to j that holds the row's character
    row[0] = i;
    for (unsigned j = 1; j <= n; ++j) {
      const bool matches = text[j - 1] == pattern[i - 1];
      row[j] = pasm_cell(
          i, j, matches, [&](unsigned column) { return above[column]; }, [&] { return x; });
      x = matches ? j : x;
    }
    above.swap(row);
  }
  std::vector<std::uint8_t> ends(n);
  for (std::size_t j = 0; j < n; ++j) {
    ends[j] = above[j + 1] <= max_edits;
  }
  return ends;
}

}  // namespace trawl::matchers
