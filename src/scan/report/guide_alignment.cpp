#include "scan/report/guide_alignment.hpp"

#include <algorithm>

namespace trawl::scan {

std::optional<GuideScore> GuideAligner::align(std::span<const std::uint8_t> guide, std::span<const std::uint8_t> text) {
  const std::size_t m = guide.size();
  columns_ = std::min(text.size(), m + max_bulges_);
  cells_.assign((m + 1) * (columns_ + 1) * (max_bulges_ + 1), kNever);
  cell(0, 0, 0) = 0;
  for (std::size_t i = 0; i <= m; ++i) {
    const std::size_t last = std::min<std::size_t>(columns_, i + max_bulges_);
    for (std::size_t j = i > max_bulges_ ? i - max_bulges_ : 0; j <= last; ++j) {
      for (std::size_t b = i < j ? j - i : i - j; b <= max_bulges_; ++b) {
        std::uint16_t best = i + j + b == 0 ? 0 : kNever;
        if (i > 0 && j > 0) {
          const bool differ = (guide[i - 1] & text[j - 1]) == 0;
          best = std::min<std::uint16_t>(best, static_cast<std::uint16_t>(cell(i - 1, j - 1, b) + differ));
        }
        if (i > 0 && b > 0) {
          best = std::min(best, cell(i - 1, j, b - 1));
        }
        if (j > 0 && b > 0) {
          best = std::min(best, cell(i, j - 1, b - 1));
        }
        cell(i, j, b) = std::min(best, kNever);
      }
    }
  }
  std::optional<GuideScore> found;
  for (std::size_t b = 0; b <= max_bulges_; ++b) {
    for (std::size_t j = m > b ? m - b : 0; j <= std::min(columns_, m + b); ++j) {
      const std::uint16_t mismatches = cell(m, j, b);
      const std::size_t edits = mismatches + b;
      if (mismatches <= max_mismatches_ && edits <= max_edits_ && (!found || edits < found->distance())) {
        found = {mismatches, static_cast<std::uint16_t>(b), static_cast<std::uint32_t>(j)};
      }
    }
  }
  return found;
}

void GuideAligner::trace(std::span<const std::uint8_t> guide, std::span<const std::uint8_t> text,
                         const GuideScore& score, bool gaps_near_pam, std::vector<match::Step>& steps) const {
  steps.clear();
  std::size_t i = guide.size();
  std::size_t j = score.text_length;
  std::size_t b = score.bulges;
  while (i > 0 || j > 0) {
    const std::uint16_t here = cell(i, j, b);
    const bool diagonal = i > 0 && j > 0 && cell(i - 1, j - 1, b) + ((guide[i - 1] & text[j - 1]) == 0 ? 1 : 0) == here;
    const bool deletion = j > 0 && b > 0 && cell(i, j - 1, b - 1) == here;
    const bool insertion = i > 0 && b > 0 && cell(i - 1, j, b - 1) == here;
    const bool gap = deletion || insertion;
    if (diagonal && (gaps_near_pam || !gap)) {
      steps.push_back(match::Step::diagonal);
      --i;
      --j;
    } else if (insertion) {
      steps.push_back(match::Step::insertion);
      --i;
      --b;
    } else {
      steps.push_back(match::Step::deletion);
      --j;
      --b;
    }
  }
  std::reverse(steps.begin(), steps.end());
}

}  // namespace trawl::scan
