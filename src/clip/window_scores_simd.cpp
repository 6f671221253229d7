// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clip/window_scores_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "align/clip_rule.hpp"
#include "clip/window_scores.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::clip::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Cell (i, j) has the best piece that ends with base i of the read and position j of the text. Antidiagonal d has the
// cells with i + j = d. Cells outside the matrix are 0, and stay so: nothing matches the pads.
void scores(const WindowProblem& problem) {
  const hn::CappedTag<std::int32_t, WindowProblem::kLanePad> d;
  const std::size_t width = hn::Lanes(d);
  constexpr std::int32_t kUnit = WindowProblem::kScoreUnit;
  constexpr auto kEdit = static_cast<std::int32_t>(align::kEditPoints);
  const auto zero = hn::Zero(d);
  const auto match = hn::Set(d, kUnit + 1);
  const auto mismatch = hn::Set(d, (1 - kEdit) * kUnit + 1);
  const auto insertion = mismatch;
  const auto deletion = hn::Set(d, -kEdit * kUnit);
  std::int32_t* before_last = problem.rows[0];
  std::int32_t* last = problem.rows[1];
  std::int32_t* now = problem.rows[2];
  const std::size_t length = problem.read_length;
  for (std::size_t antidiagonal = 0; antidiagonal + 1 < length + problem.text_length; ++antidiagonal) {
    const std::size_t first = antidiagonal + 1 > length ? antidiagonal + 1 - length : 0;
    const std::size_t end = std::min(problem.text_length, antidiagonal + 1);
    const std::int32_t* const read = problem.read + (length + first - 1 - antidiagonal);
    for (std::size_t j = first; j < end; j += width) {
      const auto common = hn::And(hn::LoadU(d, problem.text + j), hn::LoadU(d, read + (j - first)));
      const auto step = hn::IfThenElse(hn::Eq(common, zero), mismatch, match);
      const auto diagonal = hn::Add(hn::LoadU(d, before_last + j), step);
      const auto deleted = hn::Add(hn::LoadU(d, last + j), deletion);
      const auto inserted = hn::Add(hn::LoadU(d, last + 1 + j), insertion);
      const auto value = hn::Max(hn::Max(diagonal, zero), hn::Max(deleted, inserted));
      hn::StoreU(value, d, now + 1 + j);
      const auto best = hn::LoadU(d, problem.best + j);
      const auto is_better = hn::Gt(value, best);
      const auto base = hn::Sub(hn::Set(d, static_cast<std::int32_t>(antidiagonal - first + 1)),
                                hn::Iota(d, static_cast<std::int32_t>(j - first)));
      hn::StoreU(hn::IfThenElse(is_better, value, best), d, problem.best + j);
      hn::StoreU(hn::IfThenElse(is_better, base, hn::LoadU(d, problem.read_end + j)), d, problem.read_end + j);
    }
    std::swap(before_last, last);
    std::swap(last, now);
  }
}

}  // namespace trawl::clip::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::clip {

HWY_EXPORT(scores);

void find_scores(const WindowProblem& problem) { HWY_DYNAMIC_DISPATCH(scores)(problem); }

void WindowScores::find(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text) {
  const auto pad = [](std::vector<std::int32_t>& values, std::size_t count) {
    values.assign(count + WindowProblem::kLanePad, 0);
  };
  pad(read_, read.size());
  std::copy(read.rbegin(), read.rend(), read_.begin());
  pad(text_, text.size());
  std::copy(text.begin(), text.end(), text_.begin());
  for (auto& row : rows_) {
    pad(row, text.size() + 1);
  }
  pad(best_, text.size());
  pad(read_end_, text.size());
  find_scores({.read = read_.data(),
               .text = text_.data(),
               .read_length = read.size(),
               .text_length = text.size(),
               .rows = {rows_[0].data(), rows_[1].data(), rows_[2].data()},
               .best = best_.data(),
               .read_end = read_end_.data()});
}

WindowScores::Piece WindowScores::at(std::size_t end) const {
  return {best_[end] / WindowProblem::kScoreUnit, static_cast<std::uint32_t>(best_[end] % WindowProblem::kScoreUnit),
          static_cast<std::uint32_t>(read_end_[end])};
}

}  // namespace trawl::clip

#endif  // HWY_ONCE
