// The alignment of a guide by brute force: all of them are made, and compared by the rule as it is written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "match/fewest_gaps.hpp"

namespace trawl::tests {

struct GuideLimits {
  std::uint32_t edits, mismatches, bulges;
  std::uint32_t dna = ~std::uint32_t{0}, rna = ~std::uint32_t{0};  // of one kind
};

/// What makes one alignment better than another: the smaller one is better.
struct GuideOrder {
  std::uint32_t edits = 0;
  std::uint32_t gaps = 0;
  std::uint32_t far_gaps = 0;                   // at the end of the guide that is far from the PAM
  std::vector<match::Step> steps_from_right{};  // a match or mismatch, then an insertion, then a deletion

  auto operator<=>(const GuideOrder&) const = default;
};

/// The best alignment of a guide that begins (`pam_first`) or ends with the text, both from left to right, within the
/// limits. `differ(i, j)`: letter i of the guide does not match letter j of the text. It takes much time: for short
/// guides and few edits.
inline std::optional<GuideOrder> best_guide_order(std::size_t guide, std::size_t text, const GuideLimits& limits,
                                                  bool pam_first,
                                                  const std::function<bool(std::size_t, std::size_t)>& differ) {
  std::optional<GuideOrder> best;
  std::vector<match::Step> steps;
  const auto take = [&](std::uint32_t edits) {
    GuideOrder order{edits, 0, 0, {steps.rbegin(), steps.rend()}};
    for (std::size_t s = 0; s < steps.size(); ++s) {
      order.gaps += steps[s] != match::Step::diagonal && (s == 0 || steps[s - 1] != steps[s]) ? 1 : 0;
    }
    order.far_gaps = !steps.empty() && (pam_first ? steps.back() : steps.front()) != match::Step::diagonal ? 1 : 0;
    best = best ? std::min(*best, order) : order;
  };
  const std::function<void(std::size_t, std::size_t, std::uint32_t, std::uint32_t)> walk =
      [&](std::size_t i, std::size_t j, std::uint32_t mismatches, std::uint32_t bulges) {
        const auto of_kind = [&](match::Step kind) {
          return static_cast<std::uint32_t>(std::count(steps.begin(), steps.end(), kind));
        };
        if (of_kind(match::Step::deletion) > limits.dna || of_kind(match::Step::insertion) > limits.rna) {
          return;
        }
        if (mismatches > limits.mismatches || bulges > limits.bulges || mismatches + bulges > limits.edits ||
            (best && mismatches + bulges > best->edits)) {
          return;
        }
        if (i == guide && (pam_first || j == text)) {
          take(mismatches + bulges);
        }
        const auto step = [&](match::Step kind, std::size_t to_i, std::size_t to_j, std::uint32_t differs) {
          steps.push_back(kind);
          walk(to_i, to_j, mismatches + differs, bulges + (kind == match::Step::diagonal ? 0 : 1));
          steps.pop_back();
        };
        if (i < guide && j < text) {
          step(match::Step::diagonal, i + 1, j + 1, differ(i, j) ? 1 : 0);
        }
        if (i < guide) {
          step(match::Step::insertion, i + 1, j, 0);
        }
        if (j < text) {
          step(match::Step::deletion, i, j + 1, 0);
        }
      };
  const std::size_t longest = guide + limits.bulges;
  for (std::size_t begin = pam_first ? 0 : text - std::min(text, longest); begin <= (pam_first ? 0 : text); ++begin) {
    walk(0, begin, 0, 0);
  }
  return best;
}

}  // namespace trawl::tests
