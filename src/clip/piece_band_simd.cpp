// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clip/piece_band_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "clip/piece_band.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::clip::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<RowValue, kLaneBlock>;

// Computes the rows of a block. `state` and `rows` point to lane 0; rows are row_stride() apart there.
void advance_rows(const RowBlock& block) {
  const D d;
  const std::size_t width = hn::Lanes(d);
  const std::size_t stride = row_stride(block.lanes);
  const auto none = hn::Set(d, kNone);
  for (std::uint32_t r = 0; r < block.steps; ++r) {
    const std::ptrdiff_t at = block.step * static_cast<std::ptrdiff_t>(r);
    const auto set = hn::Set(d, block.read[at]);
    for (std::size_t k = 0; k < block.lanes; k += width) {
      const auto common = hn::And(hn::LoadU(d, block.text + at + k), set);
      hn::StoreU(hn::VecFromMask(d, hn::Eq(common, hn::Zero(d))), d, block.differ + r * block.lanes + k);
    }
  }
  // What leads from the row before by an insertion, and from the same row by a deletion.
  const std::ptrdiff_t inserted = block.step;
  const std::ptrdiff_t deleted = -block.step;
  for (std::uint32_t x = 0; x < block.levels; ++x) {
    RowValue* const rows = block.rows + (block.keep ? x : x % 2) * block.level_stride;
    const RowValue* const below =
        x == 0 ? nullptr : block.rows + (block.keep ? x - 1 : (x + 1) % 2) * block.level_stride;
    RowValue* const state = block.state + x * stride;
    for (std::size_t k = 0; k < block.lanes; k += width) {
      auto value = hn::LoadU(d, state + k);
      hn::StoreU(value, d, rows + k);
      const RowValue* differ = block.differ + k;
      RowValue* row = rows + stride + k;
      if (x == 0) {
        for (std::uint32_t r = 1; r <= block.steps; ++r) {
          const std::uint32_t start = block.done + r;
          const auto from_start = start <= block.clip ? hn::Set(d, static_cast<RowValue>(start)) : none;
          value = hn::Min(hn::Or(value, hn::LoadU(d, differ)), from_start);
          hn::StoreU(value, d, row);
          differ += block.lanes;
          row += stride;
        }
      } else {
        const RowValue* before = below + k;
        for (std::uint32_t r = 1; r <= block.steps; ++r) {
          const auto edited = hn::Min(hn::Min(hn::LoadU(d, before), hn::LoadU(d, before + inserted)),
                                      hn::LoadU(d, before + stride + deleted));
          value = hn::Min(hn::Or(value, hn::LoadU(d, differ)), edited);
          hn::StoreU(value, d, row);
          differ += block.lanes;
          row += stride;
          before += stride;
        }
      }
      hn::StoreU(value, d, state + k);
    }
  }
}

// Bit k: for some x and y, left[x](k) + right[y](k) <= most_clipped[x + y + cost]. Of `right` lane 0 is the one beside
// lane 0 of `left`.
void join_rows(NodeRow left, NodeRow right, std::size_t lanes, const std::vector<RowValue>& most_clipped,
               std::uint32_t cost, std::uint64_t* bits) {
  const D d;
  const std::size_t width = hn::Lanes(d);
  HWY_ALIGN RowValue valid[kLaneBlock];
  for (std::size_t block = 0; block < lanes; block += kLaneBlock) {
    for (std::size_t k = 0; k < kLaneBlock; k += width) {
      auto any = hn::Zero(d);
      for (std::uint32_t z = cost; z < most_clipped.size(); ++z) {
        const std::uint32_t edits = z - cost;
        auto fewest = hn::Set(d, kNone);
        for (std::uint32_t x = 0; x <= edits; ++x) {
          const auto out_left = hn::LoadU(d, left.level(x) + block + k);
          const auto out_right = hn::LoadU(d, right.level(edits - x) + block + k);
          fewest = hn::Min(fewest, hn::SaturatedAdd(out_left, out_right));
        }
        // a <= b, as no instruction set lacks it: min(a, b) == a.
        const auto most = hn::Set(d, most_clipped[z]);
        any = hn::Or(any, hn::VecFromMask(d, hn::Eq(hn::Min(fewest, most), fewest)));
      }
      hn::StoreU(any, d, valid + k);
    }
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < kLaneBlock; ++k) {
      word |= static_cast<std::uint64_t>(valid[k] & 1) << k;
    }
    bits[block / kLaneBlock] = word;
  }
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace trawl::clip::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::clip {

HWY_EXPORT(advance_rows);
HWY_EXPORT(join_rows);
HWY_EXPORT(target_name);

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
    kept_[0].rows.clear();
    kept_[1].rows.clear();
  }
}

void PieceBand::restart(BandSide side) {
  const std::size_t stride = row_stride(lanes_);
  state(side).assign(kRowPad + levels_ * stride, kNone);
  for (std::uint32_t x = 0; x < levels_; ++x) {
    std::fill_n(state(side).begin() + static_cast<std::ptrdiff_t>(kRowPad + x * stride), lanes_, RowValue{0});
  }
}

void PieceBand::advance(BandSide side, std::uint32_t first, std::uint32_t last, bool keep) {
  const bool left = side == BandSide::left;
  const std::size_t stride = row_stride(lanes_);
  const std::uint32_t most =
      keep ? last - first
           : static_cast<std::uint32_t>(std::max<std::size_t>(kBlockBytes / (3 * stride * sizeof(RowValue)), 16));
  const std::size_t level_stride = (std::min(most, last - first) + std::size_t{1}) * stride;
  KeptRows& kept = kept_[static_cast<int>(side)];
  auto& rows = kept.rows;
  // The pads keep what they are filled with: no row is written there, and rows lie at the same places.
  const std::size_t needed = kRowPad + (keep ? levels_ : 2) * level_stride;
  if (rows.size() < needed) {
    rows.resize(needed, kNone);
  }
  kept.level_stride = level_stride;
  kept.begin = left ? first : last;
  differ_.resize(std::max(differ_.size(), std::min(most, last - first) * lanes_));
  RowBlock block;
  block.step = left ? 1 : -1;
  block.clip = most_clipped_.front();
  block.levels = levels_;
  block.lanes = lanes_;
  block.state = state(side).data() + kRowPad;
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
    HWY_DYNAMIC_DISPATCH(advance_rows)(block);
  }
}

void PieceBand::join(NodeRow left, NodeRow right, std::ptrdiff_t shift, std::uint32_t cost, std::uint64_t* bits) const {
  right.first += shift;
  HWY_DYNAMIC_DISPATCH(join_rows)(left, right, lanes_, most_clipped_, cost, bits);
}

const char* piece_band_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace trawl::clip

#endif  // HWY_ONCE
