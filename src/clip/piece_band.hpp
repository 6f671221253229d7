// A band of diagonals of the matrix of one strand and the text: computes the rows of clip/piece_rows.hpp for it.
//
//   with: const sequence::Reference& reference, const sequence::EncodedRead& strand, const align::PieceLimits& limits
//   with: std::int64_t first_diagonal, std::uint32_t c, std::uint64_t* nodes
//   PieceBand band(reference, false);
//   band.start(strand, limits);                          // once for each strand
//   band.load(first_diagonal, 64);                       // lane k: the diagonal first_diagonal + k
//   band.left_to(c);
//   band.right_to(c);                                    // left(), right(): the values of the nodes in row c
//   band.join(band.left(), band.right(), 0, 0, nodes);   // bit k: an allowed alignment holds node (c, k)
//
// Values that matter are exact at least E lanes away from both borders of the band.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/clip_rule.hpp"
#include "clip/piece_rows.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::clip {

/// The values of all levels in one row of nodes: level x of lane k is first[x * stride + k].
struct NodeRow {
  const RowValue* first = nullptr;
  std::size_t stride = 0;

  const RowValue* level(std::uint32_t x) const { return first + x * stride; }
};

class PieceBand {
 public:
  PieceBand(const sequence::Reference& reference, bool ambiguous_matches)
      : reference_(reference), ambiguous_matches_(ambiguous_matches) {}

  void start(const sequence::EncodedRead& strand, const align::PieceLimits& limits);

  /// `lanes`: a multiple of kLaneBlock.
  void load(std::int64_t first_diagonal, std::size_t lanes);

  std::uint32_t length() const { return length_; }
  std::uint32_t max_edits() const { return levels_ - 1; }
  std::uint32_t most_clipped(std::uint32_t x) const { return most_clipped_[x]; }
  std::int64_t first_diagonal() const { return first_diagonal_; }
  std::size_t lanes() const { return lanes_; }
  bool match(std::uint32_t i, std::size_t lane) const { return (sets_[i] & text_[i + lane]) != 0; }

  /// Computes the values of row `c`: of the left ends from row 0, of the right ends from the last row.
  void left_to(std::uint32_t c);
  void right_to(std::uint32_t c);
  NodeRow left() const { return {state_[0].data() + kRowPad, row_stride(lanes_)}; }
  NodeRow right() const { return {state_[1].data() + kRowPad, row_stride(lanes_)}; }

  /// Computes all rows first .. last, which are then left_row(i) and right_row(i). Left ends: left() must hold row
  /// `first`; afterwards it holds `last`. Right ends: right() must hold row `last`, and then holds `first`.
  void keep_left(std::uint32_t first, std::uint32_t last);
  void keep_right(std::uint32_t first, std::uint32_t last);
  NodeRow left_row(std::uint32_t i) const { return kept_row(0, i - kept_first_); }
  NodeRow right_row(std::uint32_t i) const { return kept_row(1, kept_last_ - i); }

  /// The left ends before row 0, and the right ends after the last row.
  void restart_left();
  void restart_right();
  /// Computes left() of row `last` from that of row `first`.
  void advance_left(std::uint32_t first, std::uint32_t last);
  /// Copies of left(), to go back to its row.
  void save_left(std::vector<RowValue>& saved) const { saved = state_[0]; }
  void restore_left(const std::vector<RowValue>& saved) { state_[0] = saved; }

  /// Bit k: some alignment that is allowed goes through left lane k, a step with `cost` edits and right lane k + shift.
  void join(NodeRow left, NodeRow right, std::ptrdiff_t shift, std::uint32_t cost, std::uint64_t* bits) const;

 private:
  void restart(std::vector<RowValue>& state);
  void advance(bool left, std::uint32_t first, std::uint32_t last, bool keep);
  NodeRow kept_row(int side, std::uint32_t r) const {
    return {rows_[side].data() + kRowPad + r * row_stride(lanes_), level_stride_[side]};
  }

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
  std::vector<RowValue> state_[2];  // left, right; with pads
  std::vector<RowValue> rows_[2];
  std::size_t level_stride_[2] = {0, 0};
  std::uint32_t kept_first_ = 0, kept_last_ = 0;
  std::vector<RowValue> differ_;
};

}  // namespace trawl::clip
