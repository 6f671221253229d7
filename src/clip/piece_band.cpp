#include "clip/piece_band.hpp"

#include <algorithm>

namespace trawl::clip {

namespace {

// Rows that are computed level by level before the next ones: as many as fit into the first-level cache.
constexpr std::size_t kBlockBytes = 24 << 10;

}  // namespace

void PieceBand::start(const sequence::EncodedRead& strand, const align::PieceLimits& limits) {
  length_ = limits.length;
  levels_ = limits.max_edits() + 1;
  most_clipped_.assign(limits.most_clipped.begin(), limits.most_clipped.end());
  sets_.resize(length_);
  for (std::uint32_t i = 0; i < length_; ++i) {
    sets_[i] = static_cast<RowValue>(strand.set(i) & 15);
  }
}

void PieceBand::load(std::int64_t first_diagonal, std::size_t lanes) {
  first_diagonal_ = first_diagonal;
  const std::size_t size = length_ + lanes;
  window_.load(reference_, first_diagonal, size, ambiguous_matches_);
  text_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    text_[i] = static_cast<RowValue>(window_.set_at(i));
  }
  if (lanes != lanes_) {
    lanes_ = lanes;
    rows_[0].clear();
    rows_[1].clear();
  }
}

void PieceBand::restart(std::vector<RowValue>& state) {
  const std::size_t stride = row_stride(lanes_);
  state.assign(kRowPad + levels_ * stride, kNone);
  for (std::uint32_t x = 0; x < levels_; ++x) {
    std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(kRowPad + x * stride), lanes_, RowValue{0});
  }
}

void PieceBand::restart_left() { restart(state_[0]); }

void PieceBand::restart_right() { restart(state_[1]); }

void PieceBand::advance(bool left, std::uint32_t first, std::uint32_t last, bool keep) {
  const std::size_t stride = row_stride(lanes_);
  const std::uint32_t most =
      keep ? last - first
           : static_cast<std::uint32_t>(std::max<std::size_t>(kBlockBytes / (3 * stride * sizeof(RowValue)), 16));
  const std::size_t level_stride = (std::min(most, last - first) + std::size_t{1}) * stride;
  const int side = left ? 0 : 1;
  auto& rows = rows_[side];
  // The pads keep what they are filled with: no row is written there, and rows lie at the same places.
  const std::size_t needed = kRowPad + (keep ? levels_ : 2) * level_stride;
  if (rows.size() < needed) {
    rows.resize(needed, kNone);
  }
  level_stride_[side] = level_stride;
  differ_.resize(std::max(differ_.size(), std::min(most, last - first) * lanes_));
  RowBlock block;
  block.step = left ? 1 : -1;
  block.clip = most_clipped_.front();
  block.levels = levels_;
  block.lanes = lanes_;
  block.state = state_[side].data() + kRowPad;
  block.rows = rows.data() + kRowPad;
  block.level_stride = level_stride;
  block.keep = keep;
  block.differ = differ_.data();
  for (std::uint32_t done = 0; done < last - first; done += block.steps) {
    block.steps = std::min(most, last - first - done);
    const std::uint32_t base = left ? first + done : last - done - 1;
    block.read = sets_.data() + base;
    block.text = text_.data() + base;
    block.done = left ? first + done : length_ - last + done;
    advance_rows(block);
  }
}

void PieceBand::advance_left(std::uint32_t first, std::uint32_t last) { advance(true, first, last, false); }

void PieceBand::left_to(std::uint32_t c) {
  restart_left();
  advance(true, 0, c, false);
}

void PieceBand::right_to(std::uint32_t c) {
  restart_right();
  advance(false, c, length_, false);
}

void PieceBand::keep_left(std::uint32_t first, std::uint32_t last) {
  kept_first_ = first;
  advance(true, first, last, true);
}

void PieceBand::keep_right(std::uint32_t first, std::uint32_t last) {
  kept_last_ = last;
  advance(false, first, last, true);
}

void PieceBand::join(NodeRow left, NodeRow right, std::ptrdiff_t shift, std::uint32_t cost, std::uint64_t* bits) const {
  RowJoin rows;
  rows.left = left.first;
  rows.right = right.first + shift;
  rows.left_stride = left.stride;
  rows.right_stride = right.stride;
  rows.lanes = lanes_;
  rows.most_clipped = most_clipped_.data();
  rows.levels = levels_;
  rows.cost = cost;
  join_rows(rows, bits);
}

}  // namespace trawl::clip
