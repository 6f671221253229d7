#include "scan/report/guide_alignment.hpp"

namespace trawl::scan {

namespace {

// Costs of find_steps(): edits, then gaps, then those far from the PAM.
constexpr std::uint32_t kEdit = 1 << 16, kGap = 2, kFarGap = 1;

// The cheapest way to a base in a bulge of this kind. Of equal ones, `before`, the step before it, is the first.
std::uint32_t cheapest(const std::array<std::uint32_t, 3>& from, match::Step kind, std::uint32_t gap,
                       unsigned& before) {
  std::uint32_t cost = UINT32_MAX;
  for (unsigned step = 0; step < 3; ++step) {
    const std::uint32_t of_step = from[step] + kEdit + (step == static_cast<unsigned>(kind) ? 0 : gap);
    if (of_step < cost) {
      cost = of_step;
      before = step;
    }
  }
  return cost;
}

}  // namespace

std::optional<GuideScore> GuideAligner::align(Letters guide, Letters text) {
  mismatches_.assign(cells(), kNever);
  for (std::uint32_t d = 0; d <= std::min<std::size_t>(limits_.dna, text.size()); ++d) {
    mismatches_[cell(0, d)] = 0;
  }
  for (std::size_t i = 1; i <= guide.size(); ++i) {
    for (std::uint32_t r = limits_.rna + 1; r-- > 0;) {
      for (std::uint32_t d = 0; d <= most_dna(r); ++d) {
        const std::size_t at = cell(r, d), j = i + d - r;
        std::uint32_t& here = mismatches_[at];
        if (i + d < r || j > text.size()) {
          here = kNever;
          continue;
        }
        here = j == 0 ? kNever : std::min(here + ((guide[i - 1] & text[j - 1]) == 0 ? 1 : 0), mismatches_[at - 1]);
        here = std::min({here, mismatches_[at - width()], kNever});
      }
    }
  }
  std::optional<GuideScore> best;
  for (std::uint32_t r = 0; r <= limits_.rna; ++r) {
    for (std::uint32_t d = 0; d <= most_dna(r); ++d) {
      const std::uint32_t mismatches = mismatches_[cell(r, d)], bulges = r + d, edits = mismatches + bulges;
      if (mismatches <= limits_.mismatches && edits <= limits_.edits &&
          (!best || edits < best->distance() || (edits == best->distance() && bulges < best->bulges))) {
        best = {static_cast<std::uint16_t>(mismatches), static_cast<std::uint16_t>(bulges)};
      }
    }
  }
  if (const std::uint32_t ungapped = mismatches_[cell(0, 0)]; best && ungapped <= limits_.mismatches) {
    best->ungapped = static_cast<std::uint16_t>(ungapped);
  }
  return best;
}

// The cells are computed from left to right. Where the PAM comes last, r and d count the bases in bulges to the right
// of a cell: it may begin with any number of them, and ends with none.
void GuideAligner::find_steps(Letters guide, Letters text, std::uint32_t edits, bool pam_first,
                              std::vector<match::Step>& steps) {
  const std::size_t m = guide.size(), n = text.size();
  const std::ptrdiff_t forward = pam_first ? 1 : -1;
  // An alignment with fewer bases in bulges has too many mismatches.
  const auto may_have = [&](std::uint32_t r, std::uint32_t d) { return r + d + limits_.mismatches >= edits; };
  costs_.assign(cells(), {kNever, kNever, kNever});
  directions_.assign((m + 1) * cells(), 0);
  for (std::size_t i = 0; i <= m; ++i) {
    costs_before_.assign(cells(), {kNever, kNever, kNever});
    costs_.swap(costs_before_);
    for (std::uint32_t r = 0; r <= limits_.rna; ++r) {
      for (std::uint32_t k = 0; k <= most_dna(r); ++k) {
        const std::uint32_t d = pam_first ? k : most_dna(r) - k;
        const std::size_t at = cell(r, d);
        // Letters of the text to the left.
        const auto j = static_cast<std::ptrdiff_t>(pam_first ? i - r + d : n - (m - i) + r - d);
        if (j < 0 || j > static_cast<std::ptrdiff_t>(n)) {
          continue;
        }
        auto& [diagonal, insertion, deletion] = costs_[at];
        unsigned before_insertion = 0, before_deletion = 0;
        if (i == 0) {
          diagonal = (pam_first ? r + d == 0 : may_have(r, d)) ? 0 : kNever;
        } else {
          if (j > 0) {
            const bool differ = (guide[i - 1] & text[static_cast<std::size_t>(j) - 1]) == 0;
            diagonal = std::min(std::ranges::min(costs_before_[at]) + (differ ? kEdit : 0), kNever);
          }
          insertion =
              std::min(cheapest(costs_before_[at - static_cast<std::size_t>(forward) * width()], match::Step::insertion,
                                kGap + (i == 1 && !pam_first ? kFarGap : 0), before_insertion),
                       kNever);
        }
        if (j > 0 && (i > 0 || pam_first)) {
          deletion = std::min(
              cheapest(costs_[at - static_cast<std::size_t>(forward)], match::Step::deletion, kGap, before_deletion),
              kNever);
        }
        const auto last = static_cast<unsigned>(std::ranges::min_element(costs_[at]) - costs_[at].begin());
        directions_[i * cells() + at] =
            static_cast<std::uint8_t>(last | before_insertion << kInsertionShift | before_deletion << kDeletionShift);
      }
    }
  }
  std::uint32_t least = kNever;
  for (std::uint32_t r = 0; r <= (pam_first ? limits_.rna : 0); ++r) {
    for (std::uint32_t d = 0; d <= (pam_first ? most_dna(r) : 0); ++d) {
      const std::uint32_t cost = std::ranges::min(costs_[cell(r, d)]);
      if (cost > least || (pam_first && !may_have(r, d))) {
        continue;
      }
      // A match or mismatch wherever that costs no more, otherwise an insertion, otherwise a deletion.
      trace_guide(
          m, static_cast<std::ptrdiff_t>(cell(r, d)), -forward * static_cast<std::ptrdiff_t>(width()), -forward,
          [&](std::size_t i, std::ptrdiff_t at) { return directions_[i * cells() + static_cast<std::size_t>(at)]; },
          path_);
      if (cost < least || path_ < steps) {
        steps.swap(path_);
        least = cost;
      }
    }
  }
  std::reverse(steps.begin(), steps.end());
}

}  // namespace trawl::scan
