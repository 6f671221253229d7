#include "scan/report/guide_alignment.hpp"

#include "scan/report/guide_scores.hpp"

namespace trawl::scan {

namespace {

// Costs of find_steps(): edits, then gaps, then those far from the PAM, then what the edits take from CFD.
constexpr std::uint64_t kFarGap = 64 * kNoActivity, kGap = 2 * kFarGap, kEdit = 64 * kGap;

// The codes of sets of bases on the strand of the guide (sequence::base_code()).
void put_codes(std::span<const std::uint8_t> sets, bool complement, std::vector<std::uint8_t>& codes) {
  constexpr std::uint8_t kOfSet[16] = {kNoBase, 0, 1, kNoBase, 2, kNoBase, kNoBase, kNoBase, 3};
  codes.resize(sets.size());
  std::ranges::transform(sets, codes.begin(), [&](std::uint8_t set) {
    const std::uint8_t code = set > 8 ? kNoBase : kOfSet[set];
    return static_cast<std::uint8_t>(complement && code < kBulgeCode ? 3 - code : code);
  });
}

// The cheapest way to a base in a bulge of this kind. Of equal ones, `before`, the step before it, is the first.
std::uint64_t cheapest(const std::array<std::uint64_t, 3>& from, match::Step kind, unsigned& before) {
  std::uint64_t cost = UINT64_MAX;
  for (unsigned step = 0; step < 3; ++step) {
    const std::uint64_t of_step = from[step] + kEdit + (step == static_cast<unsigned>(kind) ? 0 : kGap);
    if (of_step < cost) {
      cost = of_step;
      before = step;
    }
  }
  return cost;
}

// How the table came to a cell: its last step, and the step before a base in a bulge that ends there.
constexpr unsigned kInsertionShift = 2, kDeletionShift = 4, kStepMask = 3;

// Replaces `steps` by those of a path from base i and cell `at`, from right to left. `direction(i, at)`: as above;
// `insertion` and `deletion`: what such a step adds to `at`.
template <class Direction>
void trace_guide(std::size_t i, std::ptrdiff_t at, std::ptrdiff_t insertion, std::ptrdiff_t deletion,
                 const Direction& direction, std::vector<match::Step>& steps) {
  steps.clear();
  unsigned step = direction(i, at) & kStepMask;
  while (i > 0 || step != 0) {
    steps.push_back(static_cast<match::Step>(step));
    const unsigned here = direction(i, at);
    if (steps.back() == match::Step::diagonal) {
      step = direction(--i, at) & kStepMask;
    } else if (steps.back() == match::Step::insertion) {
      --i;
      at += insertion;
      step = here >> kInsertionShift & kStepMask;
    } else {
      at += deletion;
      step = here >> kDeletionShift & kStepMask;
    }
  }
}

}  // namespace

std::optional<GuideScore> GuideAligner::align(Letters guide, Letters text) {
  mismatches_.assign(cells(), kNone);
  for (std::uint32_t d = 0; d <= std::min<std::size_t>(limits_.dna, text.size()); ++d) {
    mismatches_[cell(0, d)] = 0;
  }
  for (std::size_t i = 1; i <= guide.size(); ++i) {
    for (std::uint32_t r = limits_.rna + 1; r-- > 0;) {
      for (std::uint32_t d = 0; d <= most_dna(r); ++d) {
        const std::size_t at = cell(r, d), j = i + d - r;
        std::uint32_t& here = mismatches_[at];
        if (i + d < r || j > text.size()) {
          here = kNone;
          continue;
        }
        here = j == 0 ? kNone : std::min(here + ((guide[i - 1] & text[j - 1]) == 0 ? 1 : 0), mismatches_[at - 1]);
        here = std::min({here, mismatches_[at - width()], kNone});
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
void GuideAligner::find_steps(Letters guide, Letters text, std::uint32_t edits, bool pam_first, bool by_cfd,
                              std::vector<match::Step>& steps) {
  const std::size_t m = guide.size(), n = text.size();
  const std::ptrdiff_t forward = pam_first ? 1 : -1;
  // An alignment with fewer bases in bulges has too many mismatches.
  const auto may_have = [&](std::uint32_t r, std::uint32_t d) { return r + d + limits_.mismatches >= edits; };
  // What costs more is never looked at again.
  const std::uint64_t most = (edits + std::uint64_t{1}) * kEdit;
  if (by_cfd) {
    put_codes(guide, pam_first, guide_codes_);
    put_codes(text, pam_first, text_codes_);
  }
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
        const auto before = static_cast<std::size_t>(j) - 1;  // the letter to the left
        const auto with_edit = [&](std::uint64_t cost, bool in_guide, bool in_text) {
          if (cost >= most || !by_cfd) {
            return std::min(cost, kNever);
          }
          const std::size_t column = pam_first ? i + d - 1 : m - i + d;
          return cost + cfd_cost(in_guide ? guide_codes_[i - 1] : kBulgeCode,
                                 in_text ? text_codes_[before] : kBulgeCode, column);
        };
        auto& [diagonal, insertion, deletion] = costs_[at];
        unsigned before_insertion = 0, before_deletion = 0;
        if (i == 0) {
          diagonal = (pam_first ? r + d == 0 : may_have(r, d)) ? 0 : kNever;
        } else {
          if (j > 0) {
            const bool differ = (guide[i - 1] & text[before]) == 0;
            diagonal = with_edit(std::ranges::min(costs_before_[at]) + (differ ? kEdit : 0), true, true);
          }
          insertion = with_edit(cheapest(costs_before_[at - static_cast<std::size_t>(forward) * width()],
                                         match::Step::insertion, before_insertion) +
                                    (i == (pam_first ? m : 1) ? kFarGap : 0),
                                true, false);
        }
        if (j > 0 && (i > 0 || pam_first)) {
          deletion = with_edit(
              cheapest(costs_[at - static_cast<std::size_t>(forward)], match::Step::deletion, before_deletion), false,
              true);
        }
        const auto last = static_cast<unsigned>(std::ranges::min_element(costs_[at]) - costs_[at].begin());
        directions_[i * cells() + at] =
            static_cast<std::uint8_t>(last | before_insertion << kInsertionShift | before_deletion << kDeletionShift);
      }
    }
  }
  std::uint64_t least = kNever;
  for (std::uint32_t r = 0; r <= (pam_first ? limits_.rna : 0); ++r) {
    for (std::uint32_t d = 0; d <= (pam_first ? most_dna(r) : 0); ++d) {
      const std::uint64_t cost = std::ranges::min(costs_[cell(r, d)]);
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
