// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "polish/affine_band_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "polish/affine_band.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::polish::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A lane is every second diagonal. Base i on diagonal d is in wave 2 i + d: all that it follows from is in one of the
// two waves before.
template <class T>
void run(const AffineLanes<T>& lanes) {
  const hn::CappedTag<T, AffineBand::kLanePad> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const auto value = [&d](std::int32_t x) HWY_ATTR { return hn::Set(d, static_cast<T>(x)); };
  const auto zero = hn::Zero(d);
  const auto never = value(AffineBand::kNever<T>);
  const auto outside = value(kOutside);
  const auto match = value(2 * kMatch);
  const auto mismatch = value(2 * kMismatch);
  const auto unknown = value(2 * kUnknown);
  const auto of_left_end = value(lanes.ends.left ? kPointsOfEnd : 0);
  const auto of_right_end = value(lanes.ends.right ? kPointsOfEnd : 0);
  const auto opening = value(2 * (kGapOpening + 1) + kPointsOfGap);
  const auto longer = value(2);
  const auto long_opening = value(2 * kLongGap + kPointsOfGap);
  const auto state_mask = value(AffineBand::kStateMask);
  // A score that holds its state: the larger one is better, or as good and of an earlier state.
  const auto with_state = [&](auto score, AffineBand::AffineState state) HWY_ATTR {
    return hn::Add(hn::ShiftLeft<AffineBand::kStateBits>(score), value(AffineBand::kStateMask - state));
  };
  for (std::size_t wave = 0; wave < lanes.waves; ++wave) {
    const std::size_t odd = wave % 2;
    const AffineRow<T>& other = lanes.rows[1 - odd];
    const AffineRow<T>& row = lanes.rows[odd];
    const T* const read = lanes.read + (lanes.read_zero - wave / 2);
    const T* const text = lanes.text + (wave - wave / 2);
    for (std::size_t j = 0; j < lanes.diagonals[0]; j += hn::Lanes(d)) {
      const auto number = hn::Iota(d, static_cast<T>(j));
      const auto base = hn::Sub(value(static_cast<std::int32_t>(wave / 2)), number);
      const auto begins = hn::IfThenElseZero(hn::Eq(base, zero), of_left_end);
      const auto best = hn::Max(hn::LoadU(d, row.best + 1 + j), with_state(begins, AffineBand::none));
      auto cell = hn::Sub(state_mask, hn::And(best, state_mask));
      // The better way into a gap: it begins after a base, or goes on.
      const auto into_gap = [&](auto begin, auto goes_on, AffineBand::AffineState state) HWY_ATTR {
        cell = hn::Or(cell, hn::IfThenElse(hn::Lt(goes_on, begin), zero, value(1 << AffineBand::bit_of(state))));
        return hn::Max(begin, goes_on);
      };
      const auto read_set = hn::LoadU(d, read + j);
      const auto text_set = hn::LoadU(d, text + j);
      const auto differs = hn::IfThenElse(hn::Eq(read_set, zero), unknown, mismatch);
      const auto step = hn::IfThenElse(hn::Eq(hn::And(read_set, text_set), zero), differs, match);
      const auto is_outside = hn::Ne(hn::And(hn::Or(read_set, text_set), outside), zero);
      const auto in_band = hn::Lt(number, value(static_cast<std::int32_t>(lanes.diagonals[odd])));
      const auto here = hn::IfThenElse(hn::Or(is_outside, hn::Not(in_band)), never,
                                       hn::Add(hn::ShiftRight<AffineBand::kStateBits>(best), step));
      const std::size_t left = j + odd;
      const auto before = hn::LoadU(d, other.diagonal + left);
      const auto above = hn::LoadU(d, other.diagonal + left + 1);
      const auto deleted = into_gap(hn::Sub(before, opening), hn::Sub(hn::LoadU(d, other.deletion + left), longer),
                                    AffineBand::deletion);
      const auto long_deleted =
          into_gap(hn::Sub(before, long_opening), hn::LoadU(d, other.long_deletion + left), AffineBand::long_deletion);
      const auto inserted = into_gap(hn::Sub(above, opening), hn::Sub(hn::LoadU(d, other.insertion + left + 1), longer),
                                     AffineBand::insertion);
      const auto long_inserted = into_gap(hn::Sub(above, long_opening), hn::LoadU(d, other.long_insertion + left + 1),
                                          AffineBand::long_insertion);
      hn::StoreU(hn::DemoteTo(d8, cell), d8, lanes.cells + wave * lanes.stride + j);
      hn::StoreU(here, d, row.diagonal + 1 + j);
      hn::StoreU(deleted, d, row.deletion + 1 + j);
      hn::StoreU(long_deleted, d, row.long_deletion + 1 + j);
      hn::StoreU(inserted, d, row.insertion + 1 + j);
      hn::StoreU(long_inserted, d, row.long_insertion + 1 + j);
      const auto of_gaps = hn::Max(
          hn::Max(with_state(deleted, AffineBand::deletion), with_state(long_deleted, AffineBand::long_deletion)),
          hn::Max(with_state(inserted, AffineBand::insertion), with_state(long_inserted, AffineBand::long_insertion)));
      hn::StoreU(hn::Max(with_state(here, AffineBand::diagonal), of_gaps), d, row.best + 1 + j);
      const auto is_last = hn::Eq(base, value(static_cast<std::int32_t>(lanes.bases) - 1));
      const auto points = hn::Add(here, hn::IfThenElseZero(is_last, of_right_end));
      const auto most = hn::LoadU(d, row.points + 1 + j);
      const auto is_better = hn::Gt(points, most);
      hn::StoreU(hn::IfThenElse(is_better, points, most), d, row.points + 1 + j);
      hn::StoreU(hn::IfThenElse(is_better, base, hn::LoadU(d, row.last + 1 + j)), d, row.last + 1 + j);
    }
  }
}

void run_16(const AffineLanes<std::int16_t>& lanes) { run(lanes); }
void run_32(const AffineLanes<std::int32_t>& lanes) { run(lanes); }

}  // namespace trawl::polish::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::polish {

HWY_EXPORT(run_16);
HWY_EXPORT(run_32);

void find_cells(const AffineLanes<std::int16_t>& lanes) { HWY_DYNAMIC_DISPATCH(run_16)(lanes); }
void find_cells(const AffineLanes<std::int32_t>& lanes) { HWY_DYNAMIC_DISPATCH(run_32)(lanes); }

namespace {

// Of longer reads, scores do not fit into 16 bits.
constexpr std::size_t kMost16 = 2000;

}  // namespace

template <class T>
void AffineBand::run(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text, Ends ends,
                     std::vector<T>& memory) {
  const std::size_t diagonals = text.size() - read.size() + 1;
  AffineLanes<T> lanes;
  lanes.diagonals[0] = (diagonals + 1) / 2;
  lanes.diagonals[1] = diagonals / 2;
  lanes.stride = lanes.diagonals[0] + kLanePad;
  lanes.bases = read.size();
  lanes.ends = ends;
  lanes.waves = 2 * read.size() + diagonals - 2;
  lanes.read_zero = read.size() - 1 + lanes.stride;
  const std::size_t row_size = lanes.stride + 2;
  const std::size_t rows = 2 * 8 * row_size;
  const std::size_t read_size = lanes.read_zero + lanes.stride + 1;
  memory.assign(rows + read_size + text.size() + lanes.stride, kNever<T>);
  T* next = memory.data();
  for (AffineRow<T>& row : lanes.rows) {
    for (T** const values : {&row.diagonal, &row.deletion, &row.long_deletion, &row.insertion, &row.long_insertion,
                             &row.best, &row.points, &row.last}) {
      *values = std::exchange(next, next + row_size);
    }
    std::fill_n(row.best, row_size, static_cast<T>(kNever<T> * (kStateMask + 1)));
  }
  std::fill(next, memory.data() + memory.size(), T{kOutside});
  lanes.read = std::exchange(next, next + read_size);
  std::copy(read.rbegin(), read.rend(), memory.data() + rows + lanes.stride);
  lanes.text = next;
  std::copy(text.begin(), text.end(), next);
  stride_ = lanes.stride;
  cells_.resize(lanes.waves * lanes.stride);
  lanes.cells = cells_.data();
  find_cells(lanes);
  best_ = {.points = kNever<T>, .begin = 0, .bases = 0, .start = 0, .runs = std::move(best_.runs)};
  std::int32_t last = 0;
  std::size_t last_diagonal = 0;
  for (std::size_t d = 0; d < diagonals; ++d) {
    const AffineRow<T>& row = lanes.rows[d % 2];
    const std::int32_t points = row.points[1 + d / 2];
    if (points > best_.points || (points == best_.points && row.last[1 + d / 2] < last)) {
      best_.points = points;
      last = row.last[1 + d / 2];
      last_diagonal = d;
    }
  }
  trace(static_cast<std::size_t>(last), last_diagonal);
}

const AffineAlignment& AffineBand::align(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text,
                                         Ends ends) {
  if (read.size() <= kMost16) {
    run(read, text, ends, memory_16_);
  } else {
    run(read, text, ends, memory_32_);
  }
  return best_;
}

void AffineBand::trace(std::size_t base, std::size_t d) {
  best_.runs.clear();
  const std::size_t end = base + 1;
  for (std::uint8_t state = diagonal;;) {
    const match::Step step = state == diagonal                             ? match::Step::diagonal
                             : state == deletion || state == long_deletion ? match::Step::deletion
                                                                           : match::Step::insertion;
    if (best_.runs.empty() || best_.runs.back().step != step) {
      best_.runs.push_back({step, 0});
    }
    ++best_.runs.back().length;
    const std::uint8_t cell = cells_[(2 * base + d) * stride_ + d / 2];
    if (state == diagonal) {
      state = cell & kStateMask;
      if (state == none) {
        break;
      }
      --base;
      continue;
    }
    state = (cell >> bit_of(state) & 1) != 0 ? state : std::uint8_t{diagonal};
    if (step == match::Step::deletion) {
      --d;
    } else {
      --base;
      ++d;
    }
  }
  std::reverse(best_.runs.begin(), best_.runs.end());
  best_.begin = base;
  best_.bases = end - base;
  best_.start = base + d;
}

}  // namespace trawl::polish

#endif  // HWY_ONCE
