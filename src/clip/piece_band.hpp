// A band of diagonals of the matrix of one strand and the text, in SIMD lanes (Highway; the instruction set is chosen
// at run time). A lane is a diagonal: row i of a band holds the nodes (i, first diagonal + i + lane).
//
//   with: const sequence::Reference& reference, const sequence::EncodedRead& strand, const align::PieceLimits& limits
//   with: std::int64_t first_diagonal, std::uint32_t c, std::uint64_t* nodes
//   PieceBand band(reference, false);
//   band.start(strand, limits);                                            // once for each strand
//   band.load(first_diagonal, 64);                                         // lane k: the diagonal first_diagonal + k
//   band.go_to(BandSide::left, c);
//   band.go_to(BandSide::right, c);                                        // row(): the values of the nodes in row c
//   band.join(band.row(BandSide::left), band.row(BandSide::right), 0, 0, nodes);   // bit k: an allowed alignment holds
//                                                                                  // node (c, k)
//
// Values that matter are exact at least E lanes away from both borders of the band.
//
//   left[x](i, lane)    fewest bases left out at the left end by an alignment that reaches this node with <= x edits
//   right[y](i, lane)   fewest bases left out at the right end by one that leaves it and has <= y edits from there on
//
// Every step of an alignment keeps its diagonal or moves by one. So level x of a row needs the same lane of the row
// before, and level x - 1 of both rows:
//
//   left[x](i + 1, k) = min(  left[x](i, k) if read[i] matches text[i + k],      left[x - 1](i, k),
//                             left[x - 1](i, k + 1)   insertion,                 left[x - 1](i + 1, k - 1)   deletion )
//   left[0](i + 1, k) = min(  left[0](i, k) if they match,                       i + 1   if that is at most N )
//
// The right ends are the same from the last row upwards, with the two gaps exchanged. Levels are computed one after the
// other, each row by row: so no lane waits for another one.
//
// Nodes outside the contig need no care, because nothing matches there: an alignment that leaves the contig can as well
// insert the bases at its border, with no more edits. So the values of nodes inside are right, and alignments that meet
// outside also meet inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "align/clip_rule.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::clip {

/// The lanes of a band are a multiple of this.
inline constexpr std::size_t kLaneBlock = 64;
/// The lanes of a band that needs at least this number.
constexpr std::size_t whole_blocks(std::size_t lanes) { return (lanes + kLaneBlock - 1) / kLaneBlock * kLaneBlock; }

/// Bases left out: at most N.
using RowValue = std::uint16_t;
/// More bases than any limit allows.
inline constexpr RowValue kNone = std::numeric_limits<RowValue>::max();

/// Lanes before and after each row that must hold kNone.
inline constexpr std::size_t kRowPad = 32 / sizeof(RowValue);

/// From the start of one row to that of the next.
constexpr std::size_t row_stride(std::size_t lanes) { return lanes + kRowPad; }

/// The values of all levels in one row of nodes: level x of lane k is first[x * stride + k].
struct NodeRow {
  const RowValue* first = nullptr;
  std::size_t stride = 0;

  const RowValue* level(std::uint32_t x) const { return first + x * stride; }
};

/// Left ends are computed downwards, from row 0 on, right ends upwards from the last row.
enum class BandSide : std::uint8_t { left, right };

class PieceBand {
 public:
  PieceBand(const sequence::Reference& reference, bool ambiguous_matches)
      : reference_(reference), ambiguous_matches_(ambiguous_matches) {}

  void start(const sequence::EncodedRead& strand, const align::PieceLimits& limits);

  /// `lanes`: a multiple of kLaneBlock.
  void load(std::int64_t first_diagonal, std::size_t lanes);

  std::uint32_t length() const { return length_; }
  std::uint32_t max_edits() const { return levels_ - 1; }
  std::int64_t first_diagonal() const { return first_diagonal_; }
  std::size_t lanes() const { return lanes_; }
  bool match(std::uint32_t i, std::size_t lane) const { return (sets_[i] & text_[i + lane]) != 0; }

  /// Goes back to where a side begins.
  void restart(BandSide side);
  /// Computes the rows of a side from where it is, one of `first` and `last`, to the other one. `keep`: all of them are
  /// kept_row() then.
  void advance(BandSide side, std::uint32_t first, std::uint32_t last, bool keep = false);
  /// Computes row `c`.
  void go_to(BandSide side, std::uint32_t c) {
    restart(side);
    advance(side, side == BandSide::left ? 0 : c, side == BandSide::left ? c : length_);
  }
  /// The row where a side is.
  NodeRow row(BandSide side) const { return {state(side).data() + kRowPad, row_stride(lanes_)}; }
  NodeRow kept_row(BandSide side, std::uint32_t i) const {
    const KeptRows& kept = kept_[static_cast<int>(side)];
    const std::uint32_t r = side == BandSide::left ? i - kept.begin : kept.begin - i;
    return {kept.rows.data() + kRowPad + r * row_stride(lanes_), kept.level_stride};
  }
  /// With a copy of it one can go back to this row.
  std::vector<RowValue>& state(BandSide side) { return state_[static_cast<int>(side)]; }
  const std::vector<RowValue>& state(BandSide side) const { return state_[static_cast<int>(side)]; }

  /// Bit k: some alignment that is allowed goes through left lane k, a step with `cost` edits and right lane k + shift.
  /// Writes lanes() / 64 words.
  void join(NodeRow left, NodeRow right, std::ptrdiff_t shift, std::uint32_t cost, std::uint64_t* bits) const;

 private:
  // The rows of a side from `begin` on.
  struct KeptRows {
    std::vector<RowValue> rows;
    std::size_t level_stride = 0;
    std::uint32_t begin = 0;
  };

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::uint32_t length_ = 0;
  std::uint32_t levels_ = 1;
  std::vector<RowValue> most_clipped_;
  std::vector<RowValue> sets_;
  sequence::TextWindow window_;
  std::int64_t first_diagonal_ = 0;
  std::size_t lanes_ = 0;
  std::vector<RowValue> text_;      // from the node (0, lane 0) on
  std::vector<RowValue> state_[2];  // of each side; with pads
  KeptRows kept_[2];
  std::vector<RowValue> differ_;
};

/// Consecutive rows of one pass, downwards (left ends) or upwards (right ends).
struct RowBlock {
  const RowValue* read = nullptr;  // the set (bit 0 = A .. bit 3 = T) of the base of the first step
  const RowValue* text = nullptr;  // the same of the text, for lane 0 of the first step
  std::ptrdiff_t step = 1;         // 1 downwards, -1 upwards
  std::uint32_t done = 0;          // steps before the first one
  std::uint32_t steps = 0;         // rows to compute
  std::uint32_t clip = 0;          // N
  std::uint32_t levels = 1;        // E + 1
  std::size_t lanes = 0;           // a multiple of kLaneBlock
  RowValue* state = nullptr;       // [level][lane]: the row before the first step; afterwards the last row
  RowValue* rows = nullptr;        // [level][0..steps][lane]; without `keep`, levels take turns in the first two
  std::size_t level_stride = 0;    // between levels of `rows`: at least (steps + 1) * row_stride(lanes)
  bool keep = false;               // keep the rows of all levels
  RowValue* differ = nullptr;      // scratch: [steps][lane], without pads
};

/// The instruction set in use.
const char* piece_band_target();

}  // namespace trawl::clip
