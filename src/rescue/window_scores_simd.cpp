// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rescue/window_scores_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "align/clip_rule.hpp"
#include "polish/affine_band.hpp"
#include "rescue/window_scores.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::rescue::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The cells of an antidiagonal, and those of the two before it.
template <class T>
struct Wave {
  const T *before_last, *last, *last_deleted, *last_inserted;
  T *now, *now_deleted, *now_inserted;
};

// Cell (i, j) has the best piece that ends with base i of the read and position j of the text. Antidiagonal a has the
// cells with i + j = a. Cells outside the matrix are 0, and stay so: nothing matches the pads. Calls cell(wave, i, j,
// sets of bases, sets of the text) for a vector of them, the first of which is (i, j).
template <class T, class Cells>
void for_all(WindowRows<T>& rows, const Cells& cells) {
  const hn::CappedTag<T, kWindowPad> d;
  for (std::size_t a = 0; a + 1 < rows.read_length + rows.text_length; ++a) {
    const std::size_t first = a + 1 > rows.read_length ? a + 1 - rows.read_length : 0;
    const std::size_t end = std::min(rows.text_length, a + 1);
    const T* const read = rows.read.data() + (rows.read_length + first - 1 - a);
    const Wave<T> wave{rows.rows[a % 3].data(),          rows.rows[(a + 1) % 3].data(),
                       rows.deleted[a % 2].data(),       rows.inserted[a % 2].data(),
                       rows.rows[(a + 2) % 3].data(),    rows.deleted[(a + 1) % 2].data(),
                       rows.inserted[(a + 1) % 2].data()};
    for (std::size_t j = first; j < end; j += hn::Lanes(d)) {
      cells(wave, a - j, j, hn::LoadU(d, read + (j - first)), hn::LoadU(d, rows.text.data() + j));
    }
  }
}

template <class T>
void scores(WindowRows<T>& rows) {
  const hn::CappedTag<T, kWindowPad> d;
  constexpr std::uint32_t kUnit = WindowRows<T>::kScoreUnit;
  constexpr std::uint32_t kEdit = align::kEditPoints;
  // No score is below 0.
  const auto less = [&d](auto value, auto cost) HWY_ATTR {
    if constexpr (sizeof(T) == sizeof(std::uint16_t)) {
      return hn::SaturatedSub(value, cost);
    } else {
      return hn::Max(hn::Sub(value, cost), hn::Zero(d));
    }
  };
  const auto zero = hn::Zero(d);
  const auto one = hn::Set(d, T{1});
  const auto unit = hn::Set(d, static_cast<T>(kUnit));
  const auto edit = hn::Set(d, static_cast<T>((kEdit - 1) * kUnit));  // of a base that counts
  const auto deletion = hn::Set(d, static_cast<T>(kEdit * kUnit));
  const auto unknown = hn::Set(d, T{WindowScores::kUnknown});
  const auto unknown_cost = hn::Set(d, static_cast<T>((polish::kMatch - polish::kUnknown) * kUnit));
  T* const bests = rows.best.data();
  T* const read_ends = rows.read_end.data();
  for_all(rows, [&](const Wave<T>& wave, std::size_t i, std::size_t j, auto base_sets, auto text_sets) HWY_ATTR {
    const auto differs = hn::Eq(hn::And(text_sets, base_sets), zero);
    const auto of_unknown = hn::IfThenElseZero(hn::Eq(base_sets, unknown), unknown_cost);
    const auto longer = hn::Add(hn::LoadU(d, wave.before_last + j), one);
    const auto diagonal = less(hn::IfThenElse(differs, longer, hn::Add(longer, unit)),
                               hn::Add(of_unknown, hn::IfThenElseZero(differs, edit)));
    const auto deleted = less(hn::LoadU(d, wave.last + j), deletion);
    const auto inserted = less(hn::Add(hn::LoadU(d, wave.last + 1 + j), one), hn::Add(edit, of_unknown));
    const auto value = hn::Max(diagonal, hn::Max(deleted, inserted));
    hn::StoreU(value, d, wave.now + 1 + j);
    const auto best = hn::LoadU(d, bests + j);
    const auto is_better = hn::Gt(value, best);
    const auto read_end = hn::Sub(hn::Set(d, static_cast<T>(i + 1)), hn::Iota(d, T{0}));
    hn::StoreU(hn::IfThenElse(is_better, value, best), d, bests + j);
    hn::StoreU(hn::IfThenElse(is_better, read_end, hn::LoadU(d, read_ends + j)), d, read_ends + j);
  });
}

void scores_16(WindowRows<std::uint16_t>& rows) { scores(rows); }
void scores_32(WindowRows<std::int32_t>& rows) { scores(rows); }

// Scores alone, with gaps as events: narrow lanes, which never hold less than 0 or more than they can.
template <class T>
void best_scores(WindowRows<T>& rows) {
  const hn::CappedTag<T, kWindowPad> d;
  const auto zero = hn::Zero(d);
  const auto match = hn::Set(d, static_cast<T>(polish::kMatch));
  const auto mismatch = hn::Set(d, static_cast<T>(-polish::kMismatch));
  const auto unknown = hn::Set(d, T{WindowScores::kUnknown});
  const auto unknown_cost = hn::Set(d, static_cast<T>(-polish::kUnknown));
  const auto opening = hn::Set(d, static_cast<T>(polish::kGapOpening + 1));
  const auto longer = hn::Set(d, T{1});
  T* const bests = rows.best.data();
  for_all(rows, [&](const Wave<T>& wave, std::size_t, std::size_t j, auto base_sets, auto text_sets) HWY_ATTR {
    const auto before = hn::LoadU(d, wave.before_last + j);
    const auto of_unknown = hn::IfThenElseZero(hn::Eq(base_sets, unknown), unknown_cost);
    const auto minus = hn::IfThenElse(hn::Eq(hn::And(text_sets, base_sets), zero), mismatch, of_unknown);
    const auto diagonal =
        hn::IfThenElse(hn::Eq(minus, zero), hn::SaturatedAdd(before, match), hn::SaturatedSub(before, minus));
    const auto deleted = hn::Max(hn::SaturatedSub(hn::LoadU(d, wave.last + j), opening),
                                 hn::SaturatedSub(hn::LoadU(d, wave.last_deleted + j), longer));
    const auto inserted = hn::Max(hn::SaturatedSub(hn::LoadU(d, wave.last + 1 + j), opening),
                                  hn::SaturatedSub(hn::LoadU(d, wave.last_inserted + 1 + j), longer));
    const auto value = hn::Max(diagonal, hn::Max(deleted, inserted));
    hn::StoreU(deleted, d, wave.now_deleted + 1 + j);
    hn::StoreU(inserted, d, wave.now_inserted + 1 + j);
    hn::StoreU(value, d, wave.now + 1 + j);
    hn::StoreU(hn::Max(hn::LoadU(d, bests + j), value), d, bests + j);
  });
}

void best_scores_8(WindowRows<std::uint8_t>& rows) { best_scores(rows); }
void best_scores_16(WindowRows<std::uint16_t>& rows) { best_scores(rows); }

}  // namespace trawl::rescue::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::rescue {

HWY_EXPORT(scores_16);
HWY_EXPORT(scores_32);
HWY_EXPORT(best_scores_8);
HWY_EXPORT(best_scores_16);

namespace {

void find_scores(WindowRows<std::uint16_t>& rows) { HWY_DYNAMIC_DISPATCH(scores_16)(rows); }
void find_scores(WindowRows<std::int32_t>& rows) { HWY_DYNAMIC_DISPATCH(scores_32)(rows); }
void find_best_scores(WindowRows<std::uint8_t>& rows) { HWY_DYNAMIC_DISPATCH(best_scores_8)(rows); }
void find_best_scores(WindowRows<std::uint16_t>& rows) { HWY_DYNAMIC_DISPATCH(best_scores_16)(rows); }

// Rows for `text` and an empty matrix, with `gaps` those of gaps, too.
template <class T>
void load(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text, bool gaps, WindowRows<T>& rows) {
  const auto pad = [](std::vector<T>& values, std::size_t count) { values.assign(count + kWindowPad, 0); };
  rows.read_length = read.size();
  rows.text_length = text.size();
  pad(rows.read, read.size());
  std::copy(read.rbegin(), read.rend(), rows.read.begin());
  pad(rows.text, text.size());
  std::transform(text.begin(), text.end(), rows.text.begin(),
                 [](std::uint8_t set) { return static_cast<T>(set == 0 ? 0 : set | WindowScores::kUnknown); });
  for (auto& row : rows.rows) {
    pad(row, text.size() + 1);
  }
  for (auto* const of_gaps : {rows.deleted, rows.inserted}) {
    pad(of_gaps[0], gaps ? text.size() + 1 : 0);
    pad(of_gaps[1], gaps ? text.size() + 1 : 0);
  }
  pad(rows.best, text.size());
  pad(rows.read_end, gaps ? 0 : text.size());
}

template <class T>
BestScore best_of(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text, WindowRows<T>& rows) {
  load(read, text, true, rows);
  find_best_scores(rows);
  BestScore best;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto score = static_cast<std::int32_t>(rows.best[i]);
    if (score > best.score) {
      best = {score, i, i};
    } else if (score == best.score) {
      best.last = i;
    }
  }
  return best;
}

}  // namespace

BestScore WindowScores::find_best(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text) {
  // A score is at most the length of the read.
  return read.size() <= kShort ? best_of(read, text, rows_8_) : best_of(read, text, rows_16_);
}

void WindowScores::find(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text) {
  const auto find_in = [&](auto& rows) {
    load(read, text, false, rows);
    find_scores(rows);
  };
  is_short_ = read.size() <= kShort;
  if (is_short_) {
    find_in(found_16_);
  } else {
    find_in(found_32_);
  }
}

LocalPiece WindowScores::at(std::size_t end) const {
  const auto piece = [end]<class T>(const WindowRows<T>& rows) {
    constexpr std::int32_t kUnit = WindowRows<T>::kScoreUnit;
    return LocalPiece{rows.best[end] / kUnit, static_cast<std::uint32_t>(rows.best[end] % kUnit),
                      static_cast<std::uint32_t>(rows.read_end[end])};
  };
  return is_short_ ? piece(found_16_) : piece(found_32_);
}

}  // namespace trawl::rescue

#endif  // HWY_ONCE
