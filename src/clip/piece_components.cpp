#include "clip/piece_components.hpp"

#include <algorithm>
#include <cmath>

#include "base/wide_word.hpp"

namespace trawl::clip {

std::uint32_t PieceComponents::root(std::uint32_t label) {
  while (parents_[label] != label) {
    parents_[label] = parents_[parents_[label]];
    label = parents_[label];
  }
  return label;
}

std::uint32_t PieceComponents::joined(std::uint32_t known, std::uint32_t label) {
  if (label == kNoLabel) {
    return known;
  }
  label = root(label);
  if (known == kNoLabel || known == label) {
    return label;
  }
  const std::uint32_t smaller = std::min(known, label);
  parents_[std::max(known, label)] = smaller;
  return smaller;
}

std::uint32_t PieceComponents::label(std::int64_t diagonal) {
  const std::uint32_t label = row_labels_[static_cast<std::size_t>(diagonal - first_diagonal_)];
  return label == kNoLabel ? label : root(label);
}

void PieceComponents::find(PieceBand& band, std::int64_t first, std::int64_t last, std::uint32_t row) {
  const auto edits = static_cast<std::int64_t>(band.max_edits());
  parents_.clear();
  first_diagonal_ = first - edits;
  const auto width = static_cast<std::size_t>(last - first + 1 + 2 * edits);
  row_labels_.assign(width, kNoLabel);
  column_.assign(band.length() + std::size_t{1}, kNoLabel);
  next_column_.assign(column_.size(), kNoLabel);
  // Beside the lanes wanted, a band needs E lanes for exact values, and one for the steps to the band before.
  const auto margin = static_cast<std::size_t>(edits + 1);
  const std::size_t row_bytes = 2 * (band.max_edits() + std::size_t{1}) * sizeof(RowValue);
  const auto kept_rows = static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(band.length()))) + 2;
  const std::size_t most =
      std::max(whole_blocks(2 * margin + 1), bytes_ / (row_bytes * kept_rows) / kLaneBlock * kLaneBlock);
  for (std::size_t done = 0; done < width;) {
    const std::size_t lanes = std::min(most, whole_blocks(width - done + 2 * margin));
    const std::size_t wanted = std::min(width - done, lanes - 2 * margin);
    band.load(first_diagonal_ + static_cast<std::int64_t>(done) - static_cast<std::int64_t>(margin), lanes);
    find_in_band(band, margin, wanted, row);
    std::swap(column_, next_column_);
    done += wanted;
  }
}

void PieceComponents::find_in_band(PieceBand& band, std::size_t first_lane, std::size_t lanes, std::uint32_t row) {
  for (auto* words : {&nodes_, &deletions_, &insertions_, &equal_, &unequal_}) {
    words->assign(band.lanes() / 64, 0);
  }
  labels_.assign(lanes, kNoLabel);
  labels_after_.assign(lanes, kNoLabel);
  // Left ends are computed downwards and needed upwards. So some rows are saved on the way down, and the rows between
  // them are computed once more.
  const std::size_t row_bytes = 2 * (band.max_edits() + std::size_t{1}) * row_stride(band.lanes()) * sizeof(RowValue);
  const std::uint32_t length = band.length();
  const auto step = row_bytes * length <= bytes_
                        ? length
                        : static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(length))));
  std::vector<std::vector<RowValue>> saved;
  band.restart(BandSide::left);
  for (std::uint32_t i = 0; i < length; i += step) {
    saved.push_back(band.state(BandSide::left));
    if (i + step < length) {
      band.advance(BandSide::left, i, i + step);
    }
  }
  band.restart(BandSide::right);
  for (std::uint32_t end = length; !saved.empty(); saved.pop_back()) {
    const auto begin = static_cast<std::uint32_t>(saved.size() - 1) * step;
    band.state(BandSide::left) = saved.back();
    band.advance(BandSide::left, begin, end, true);
    band.advance(BandSide::right, begin, end, true);
    for (std::uint32_t i = end == length ? end + 1 : end; i-- > begin;) {
      visit_row(band, first_lane, lanes, i);
      if (i == row) {
        std::copy(
            labels_.begin(), labels_.end(),
            row_labels_.begin() + (band.first_diagonal() + static_cast<std::int64_t>(first_lane) - first_diagonal_));
      }
      next_column_[i] = labels_.back();
      std::swap(labels_, labels_after_);
    }
    end = begin;
  }
}

void PieceComponents::visit_row(PieceBand& band, std::size_t first_lane, std::size_t lanes, std::uint32_t i) {
  const NodeRow left = band.kept_row(BandSide::left, i);
  const NodeRow right = band.kept_row(BandSide::right, i);
  const bool last = i == band.length();
  band.join(left, right, 0, 0, nodes_.data());
  band.join(left, right, 1, 1, deletions_.data());
  if (!last) {
    const NodeRow after = band.kept_row(BandSide::right, i + 1);
    band.join(left, after, -1, 1, insertions_.data());
    band.join(left, after, 0, 0, equal_.data());
    band.join(left, after, 0, 1, unequal_.data());
  }
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::size_t k = first_lane + l;
    std::uint32_t label = kNoLabel;
    if (bit(nodes_, k)) {
      if (!last && (bit(unequal_, k) || (bit(equal_, k) && band.match(i, k)))) {
        label = joined(label, labels_after_[l]);
      }
      if (!last && bit(insertions_, k)) {
        label = joined(label, l > 0 ? labels_after_[l - 1] : column_[i + 1]);
      }
      if (bit(deletions_, k - 1)) {
        label = joined(label, l > 0 ? labels_[l - 1] : column_[i]);
      }
      if (label == kNoLabel) {
        label = static_cast<std::uint32_t>(parents_.size());
        parents_.push_back(label);
      }
    }
    labels_[l] = label;
  }
}

}  // namespace trawl::clip
