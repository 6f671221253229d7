// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rescue/window_scores_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "align/clip_rule.hpp"
#include "polish/affine_band.hpp"
#include "rescue/window_scores.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::rescue::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Cell (i, j) has the best piece that ends with base i of the read and position j of the text. Antidiagonal d has the
// cells with i + j = d. Cells outside the matrix are 0, and stay so: nothing matches the pads.
template <class T>
void scores(const WindowProblem<T>& problem) {
  const hn::CappedTag<T, kWindowPad> d;
  const std::size_t width = hn::Lanes(d);
  constexpr std::uint32_t kUnit = WindowProblem<T>::kScoreUnit;
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
  const auto unknown_cost =
      hn::Set(d, static_cast<T>((polish::AffineBand::kMatch - polish::AffineBand::kUnknown) * kUnit));
  T* before_last = problem.rows[0];
  T* last = problem.rows[1];
  T* now = problem.rows[2];
  const std::size_t length = problem.read_length;
  for (std::size_t antidiagonal = 0; antidiagonal + 1 < length + problem.text_length; ++antidiagonal) {
    const std::size_t first = antidiagonal + 1 > length ? antidiagonal + 1 - length : 0;
    const std::size_t end = std::min(problem.text_length, antidiagonal + 1);
    const T* const read = problem.read + (length + first - 1 - antidiagonal);
    for (std::size_t j = first; j < end; j += width) {
      const auto base_sets = hn::LoadU(d, read + (j - first));
      const auto differs = hn::Eq(hn::And(hn::LoadU(d, problem.text + j), base_sets), zero);
      const auto of_unknown = hn::IfThenElseZero(hn::Eq(base_sets, unknown), unknown_cost);
      const auto longer = hn::Add(hn::LoadU(d, before_last + j), one);
      const auto diagonal = less(hn::IfThenElse(differs, longer, hn::Add(longer, unit)),
                                 hn::Add(of_unknown, hn::IfThenElseZero(differs, edit)));
      const auto deleted = less(hn::LoadU(d, last + j), deletion);
      const auto inserted = less(hn::Add(hn::LoadU(d, last + 1 + j), one), hn::Add(edit, of_unknown));
      const auto value = hn::Max(diagonal, hn::Max(deleted, inserted));
      hn::StoreU(value, d, now + 1 + j);
      const auto best = hn::LoadU(d, problem.best + j);
      const auto is_better = hn::Gt(value, best);
      const auto base =
          hn::Sub(hn::Set(d, static_cast<T>(antidiagonal - first + 1)), hn::Iota(d, static_cast<T>(j - first)));
      hn::StoreU(hn::IfThenElse(is_better, value, best), d, problem.best + j);
      hn::StoreU(hn::IfThenElse(is_better, base, hn::LoadU(d, problem.read_end + j)), d, problem.read_end + j);
    }
    std::swap(before_last, last);
    std::swap(last, now);
  }
}

void scores_16(const WindowProblem<std::uint16_t>& problem) { scores(problem); }
void scores_32(const WindowProblem<std::int32_t>& problem) { scores(problem); }

// Scores alone, with gaps as events: narrow lanes, which never hold less than 0 or more than they can.
template <class T>
void best_scores(const BestScoreProblem<T>& problem) {
  const hn::CappedTag<T, kWindowPad> d;
  const std::size_t width = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  const auto match = hn::Set(d, static_cast<T>(polish::AffineBand::kMatch));
  const auto mismatch = hn::Set(d, static_cast<T>(-polish::AffineBand::kMismatch));
  const auto unknown = hn::Set(d, T{WindowScores::kUnknown});
  const auto unknown_cost = hn::Set(d, static_cast<T>(-polish::AffineBand::kUnknown));
  const auto opening = hn::Set(d, static_cast<T>(polish::AffineBand::kGapOpening + 1));
  const auto longer = hn::Set(d, T{1});
  T* before_last = problem.rows[0];
  T* last = problem.rows[1];
  T* now = problem.rows[2];
  T* last_deleted = problem.deleted[0];
  T* now_deleted = problem.deleted[1];
  T* last_inserted = problem.inserted[0];
  T* now_inserted = problem.inserted[1];
  const std::size_t length = problem.read_length;
  for (std::size_t antidiagonal = 0; antidiagonal + 1 < length + problem.text_length; ++antidiagonal) {
    const std::size_t first = antidiagonal + 1 > length ? antidiagonal + 1 - length : 0;
    const std::size_t end = std::min(problem.text_length, antidiagonal + 1);
    const T* const read = problem.read + (length + first - 1 - antidiagonal);
    for (std::size_t j = first; j < end; j += width) {
      const auto base_sets = hn::LoadU(d, read + (j - first));
      const auto common = hn::And(hn::LoadU(d, problem.text + j), base_sets);
      const auto before = hn::LoadU(d, before_last + j);
      const auto is_unknown = hn::Eq(base_sets, unknown);
      const auto minus = hn::IfThenElse(hn::Eq(common, zero), mismatch, hn::IfThenElseZero(is_unknown, unknown_cost));
      const auto diagonal =
          hn::IfThenElse(hn::Eq(minus, zero), hn::SaturatedAdd(before, match), hn::SaturatedSub(before, minus));
      const auto deleted = hn::Max(hn::SaturatedSub(hn::LoadU(d, last + j), opening),
                                   hn::SaturatedSub(hn::LoadU(d, last_deleted + j), longer));
      const auto inserted = hn::Max(hn::SaturatedSub(hn::LoadU(d, last + 1 + j), opening),
                                    hn::SaturatedSub(hn::LoadU(d, last_inserted + 1 + j), longer));
      const auto value = hn::Max(diagonal, hn::Max(deleted, inserted));
      hn::StoreU(deleted, d, now_deleted + 1 + j);
      hn::StoreU(inserted, d, now_inserted + 1 + j);
      hn::StoreU(value, d, now + 1 + j);
      hn::StoreU(hn::Max(hn::LoadU(d, problem.best + j), value), d, problem.best + j);
    }
    std::swap(before_last, last);
    std::swap(last, now);
    std::swap(last_deleted, now_deleted);
    std::swap(last_inserted, now_inserted);
  }
}

void best_scores_8(const BestScoreProblem<std::uint8_t>& problem) { best_scores(problem); }
void best_scores_16(const BestScoreProblem<std::uint16_t>& problem) { best_scores(problem); }

}  // namespace trawl::rescue::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::rescue {

HWY_EXPORT(scores_16);
HWY_EXPORT(scores_32);

void find_scores(const WindowProblem<std::uint16_t>& problem) { HWY_DYNAMIC_DISPATCH(scores_16)(problem); }
void find_scores(const WindowProblem<std::int32_t>& problem) { HWY_DYNAMIC_DISPATCH(scores_32)(problem); }

HWY_EXPORT(best_scores_8);
HWY_EXPORT(best_scores_16);

void find_best_scores(const BestScoreProblem<std::uint8_t>& problem) { HWY_DYNAMIC_DISPATCH(best_scores_8)(problem); }
void find_best_scores(const BestScoreProblem<std::uint16_t>& problem) { HWY_DYNAMIC_DISPATCH(best_scores_16)(problem); }

namespace {

template <class T>
void pad(std::vector<T>& values, std::size_t count) {
  values.assign(count + kWindowPad, 0);
}

// Rows for `text` and an empty matrix.
template <class T>
void load(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text, WindowRows<T>& rows) {
  pad(rows.read, read.size());
  std::copy(read.rbegin(), read.rend(), rows.read.begin());
  pad(rows.text, text.size());
  std::transform(text.begin(), text.end(), rows.text.begin(),
                 [](std::uint8_t set) { return static_cast<T>(set == 0 ? 0 : set | WindowScores::kUnknown); });
  for (auto& row : rows.rows) {
    pad(row, text.size() + 1);
  }
}

template <class T>
void load_gaps(std::size_t text, WindowRows<T>& rows) {
  for (auto* const gaps : {rows.deleted, rows.inserted}) {
    pad(gaps[0], text + 1);
    pad(gaps[1], text + 1);
  }
}

template <class T>
WindowScores::Best best_of(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text,
                           WindowRows<T>& rows) {
  load(read, text, rows);
  load_gaps(text.size(), rows);
  pad(rows.best, text.size());
  find_best_scores(BestScoreProblem<T>{.read = rows.read.data(),
                                       .text = rows.text.data(),
                                       .read_length = read.size(),
                                       .text_length = text.size(),
                                       .rows = {rows.rows[0].data(), rows.rows[1].data(), rows.rows[2].data()},
                                       .deleted = {rows.deleted[0].data(), rows.deleted[1].data()},
                                       .inserted = {rows.inserted[0].data(), rows.inserted[1].data()},
                                       .best = rows.best.data()});
  WindowScores::Best best;
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

WindowScores::Best WindowScores::find_best(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text) {
  // A score is at most the length of the read.
  return read.size() <= kShort ? best_of(read, text, rows_8_) : best_of(read, text, rows_16_);
}

template <class T>
void WindowScores::find(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text, WindowRows<T>& rows) {
  load(read, text, rows);
  pad(rows.best, text.size());
  pad(rows.read_end, text.size());
  find_scores(WindowProblem<T>{.read = rows.read.data(),
                               .text = rows.text.data(),
                               .read_length = read.size(),
                               .text_length = text.size(),
                               .rows = {rows.rows[0].data(), rows.rows[1].data(), rows.rows[2].data()},
                               .best = rows.best.data(),
                               .read_end = rows.read_end.data()});
}

void WindowScores::find(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text) {
  is_short_ = read.size() <= kShort;
  if (is_short_) {
    find(read, text, found_16_);
  } else {
    find(read, text, found_32_);
  }
}

WindowScores::Piece WindowScores::at(std::size_t end) const {
  const auto piece = [end]<class T>(const WindowRows<T>& rows) {
    constexpr std::int32_t kUnit = WindowProblem<T>::kScoreUnit;
    return Piece{rows.best[end] / kUnit, static_cast<std::uint32_t>(rows.best[end] % kUnit),
                 static_cast<std::uint32_t>(rows.read_end[end])};
  };
  return is_short_ ? piece(found_16_) : piece(found_32_);
}

}  // namespace trawl::rescue

#endif  // HWY_ONCE
