#include "clip/affine_band.hpp"

#include <algorithm>
#include <utility>

namespace trawl::clip {

namespace {

constexpr std::int32_t kNever = -(1 << 28);

match::Step step_of(std::uint8_t step) {
  return step == 0 ? match::Step::diagonal : step == 1 ? match::Step::deletion : match::Step::insertion;
}

}  // namespace

const AffineBand::Best& AffineBand::align(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text) {
  const std::size_t diagonals = text.size() - read.size() + 1;
  before_.assign(diagonals + 1, {0, kNever, kNever});  // a read may begin anywhere
  here_.assign(diagonals + 1, {kNever, kNever, kNever});
  from_.resize(read.size() * diagonals);
  // A gap becomes longer, or begins.
  const auto gap_after = [](std::int32_t score, std::int32_t gap) {
    return std::pair(std::max(score - kGapOpening - 1, gap - 1), gap >= score - kGapOpening);
  };
  for (std::size_t i = 0; i < read.size(); ++i) {
    for (std::size_t d = 0; d < diagonals; ++d) {
      auto& from = from_[i * diagonals + d];
      const Scores& last = before_[d];
      from[diagonal] = last[diagonal] >= std::max(last[deletion], last[insertion]) ? diagonal
                       : last[deletion] >= last[insertion]                         ? deletion
                                                                                   : insertion;
      here_[d][diagonal] = last[from[diagonal]] + ((read[i] & text[i + d]) != 0 ? kMatch : kMismatch);
      const auto [inserted, is_longer] = i == 0 || d + 1 == diagonals
                                             ? std::pair(kNever, false)
                                             : gap_after(before_[d + 1][diagonal], before_[d + 1][insertion]);
      here_[d][insertion] = inserted;
      from[insertion] = is_longer ? insertion : diagonal;
      const auto [deleted, is_longer_deletion] =
          d == 0 ? std::pair(kNever, false) : gap_after(here_[d - 1][diagonal], here_[d - 1][deletion]);
      here_[d][deletion] = deleted;
      from[deletion] = is_longer_deletion ? deletion : diagonal;
    }
    std::swap(before_, here_);
  }
  const auto end = std::max_element(before_.begin(), before_.begin() + static_cast<std::ptrdiff_t>(diagonals),
                                    [](const Scores& a, const Scores& b) { return a[diagonal] < b[diagonal]; });
  best_.score = (*end)[diagonal];
  best_.runs.clear();
  std::size_t bases = read.size();
  auto d = static_cast<std::size_t>(end - before_.begin());
  for (std::uint8_t step = diagonal; bases > 0;) {
    if (best_.runs.empty() || best_.runs.back().step != step_of(step)) {
      best_.runs.push_back({step_of(step), 0});
    }
    ++best_.runs.back().length;
    const std::uint8_t from = from_[(bases - 1) * diagonals + d][step];
    bases -= step == deletion ? 0 : 1;
    d += step == insertion ? 1 : 0;
    d -= step == deletion ? 1 : 0;
    step = from;
  }
  std::reverse(best_.runs.begin(), best_.runs.end());
  best_.start = d;
  return best_;
}

}  // namespace trawl::clip
