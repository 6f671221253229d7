#include "clip/piece_band.hpp"

#include <algorithm>

namespace trawl::clip {

namespace {

// Rows that are computed level by level before the next ones: as many as fit into the first-level cache.
constexpr std::size_t kBlockBytes = 24 << 10;

}  // namespace

template <class T>
void PieceBand<T>::start(const sequence::EncodedRead& strand, const align::PieceLimits& limits) {
  length_ = limits.length;
  levels_ = limits.max_edits() + 1;
  most_clipped_.assign(limits.most_clipped.begin(), limits.most_clipped.end());
  sets_.resize(length_);
  for (std::uint32_t i = 0; i < length_; ++i) {
    sets_[i] = static_cast<T>(strand.set(i) & 15);
  }
}

template <class T>
void PieceBand<T>::load(std::int64_t first_diagonal, std::size_t lanes) {
  first_diagonal_ = first_diagonal;
  const std::size_t size = length_ + lanes;
  window_.load(reference_, first_diagonal, size, ambiguous_matches_);
  text_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    text_[i] = static_cast<T>(window_.set_at(i));
  }
  if (lanes != lanes_) {
    lanes_ = lanes;
    rows_[0].clear();
    rows_[1].clear();
  }
}

template <class T>
void PieceBand<T>::restart(std::vector<T>& state) {
  const std::size_t stride = row_stride<T>(lanes_);
  state.assign(kRowPad<T> + levels_ * stride, kNone<T>);
  for (std::uint32_t x = 0; x < levels_; ++x) {
    std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(kRowPad<T> + x * stride), lanes_, T{0});
  }
}

template <class T>
void PieceBand<T>::restart_left() {
  restart(state_[0]);
}

template <class T>
void PieceBand<T>::restart_right() {
  restart(state_[1]);
}

template <class T>
void PieceBand<T>::advance(bool left, std::uint32_t first, std::uint32_t last, bool keep) {
  const std::size_t stride = row_stride<T>(lanes_);
  const std::uint32_t most =
      keep ? last - first
           : static_cast<std::uint32_t>(std::max<std::size_t>(kBlockBytes / (3 * stride * sizeof(T)), 16));
  const std::size_t level_stride = (std::min(most, last - first) + std::size_t{1}) * stride;
  const int side = left ? 0 : 1;
  auto& rows = rows_[side];
  // The pads keep what they are filled with: no row is written there, and rows lie at the same places.
  const std::size_t needed = kRowPad<T> + (keep ? levels_ : 2) * level_stride;
  if (rows.size() < needed) {
    rows.resize(needed, kNone<T>);
  }
  level_stride_[side] = level_stride;
  differ_.resize(std::max(differ_.size(), std::min(most, last - first) * lanes_));
  RowBlock<T> block;
  block.step = left ? 1 : -1;
  block.clip = most_clipped_.front();
  block.levels = levels_;
  block.lanes = lanes_;
  block.state = state_[side].data() + kRowPad<T>;
  block.rows = rows.data() + kRowPad<T>;
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

template <class T>
void PieceBand<T>::advance_left(std::uint32_t first, std::uint32_t last) {
  advance(true, first, last, false);
}

template <class T>
void PieceBand<T>::left_to(std::uint32_t c) {
  restart_left();
  advance(true, 0, c, false);
}

template <class T>
void PieceBand<T>::right_to(std::uint32_t c) {
  restart_right();
  advance(false, c, length_, false);
}

template <class T>
void PieceBand<T>::keep_left(std::uint32_t first, std::uint32_t last) {
  kept_first_ = first;
  advance(true, first, last, true);
}

template <class T>
void PieceBand<T>::keep_right(std::uint32_t first, std::uint32_t last) {
  kept_last_ = last;
  advance(false, first, last, true);
}

template <class T>
void PieceBand<T>::join(NodeRow<T> left, NodeRow<T> right, std::ptrdiff_t shift, std::uint32_t cost,
                        std::uint64_t* bits) const {
  RowJoin<T> rows;
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

template class PieceBand<std::uint8_t>;
template class PieceBand<std::uint16_t>;

}  // namespace trawl::clip
