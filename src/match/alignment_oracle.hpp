// The oracle of alignments: of all alignments of a locus the one that its record shows. Plain dynamic programming,
// obviously right, never optimised. An alignment is a text of steps, a letter each, from the read's left end on:
// M (diagonal: match or mismatch), I (insertion: a read base only), D (deletion: a reference base only).
//
//   const std::string read = "GTCCAATCG", text = "TGTCCAAAATCGT";   // two of four A are missing
//   const auto loci = oracle_loci(read, text, 2);
//   best_alignment(read, text, loci[0])   == {start 1, end 12, "MMMMDDMMMMM"}   // one gap, as far left as it goes
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "match/levenshtein.hpp"

namespace trawl::match {

/// Positions count the letters of the text before them, as OracleLocus has them.
struct OracleAlignment {
  std::size_t start = 0;
  std::size_t end = 0;
  std::string steps;

  bool operator==(const OracleAlignment&) const = default;
};

/// Of all alignments of the whole read that cost the locus' distance and end at any position of its run, the one with
///   1. the fewest gaps (a gap: consecutive insertions, or consecutive deletions),
///   2. the fewest gaps at the read's ends,
///   3. the gaps leftmost: at the last step in which two alignments differ, M goes before I before D,
///   4. the leftmost end.
/// `locus` is one of oracle_loci(read, text, .., rule). O(|read| (|read| + length of the run)).
inline OracleAlignment best_alignment(std::string_view read, std::string_view text, const OracleLocus& locus,
                                      AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  // The letters that such an alignment can reach: it takes at most |read| + distance of them.
  const std::size_t reach = read.size() + static_cast<std::size_t>(locus.distance);
  const std::size_t first = locus.run_begin > reach ? locus.run_begin - reach : 0;
  const std::string_view window = text.substr(first, locus.run_end - first);
  const std::size_t m = read.size();
  const std::size_t n = window.size();
  const auto at = [n](std::size_t i, std::size_t j) { return i * (n + 1) + j; };

  // The smallest cost of i read letters against letters that end at j (Sellers 1980). Whatever begins one of the
  // alignments wanted has that cost too: with a cheaper one the whole would be cheaper than the locus' distance.
  std::vector<int> cost((m + 1) * (n + 1), 0);
  const auto differ = [&](std::size_t i, std::size_t j) {
    return letters_match(read[i - 1], window[j - 1], rule) ? 0 : 1;
  };
  for (std::size_t i = 1; i <= m; ++i) {
    cost[at(i, 0)] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      cost[at(i, j)] =
          std::min({cost[at(i - 1, j - 1)] + differ(i, j), cost[at(i - 1, j)] + 1, cost[at(i, j - 1)] + 1});
    }
  }

  // penalties[at(i, j)][s]: of the alignments of that cost whose last step is kSteps[s], the smallest penalty: kGap for
  // each gap, 1 for each that has the read's first or last letter.
  constexpr std::string_view kSteps = "MID";
  constexpr int kGap = 4;
  constexpr int kNone = std::numeric_limits<int>::max() / 2;
  std::vector<std::array<int, 3>> penalties((m + 1) * (n + 1), {kNone, kNone, kNone});
  const auto from = [&](std::size_t i, std::size_t j, char step) {
    return at(step == 'D' ? i : i - 1, step == 'I' ? j : j - 1);
  };
  const auto open = [&](char before, char step) { return step != 'M' && step != before ? kGap : 0; };
  const auto at_end = [&](std::size_t i, char step) { return step == 'I' ? (i == 1) + (i == m) : 0; };
  for (std::size_t j = 0; j <= n; ++j) {
    penalties[at(0, j)][0] = 0;  // nothing aligned yet: no gap is open
  }
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t j = 0; j <= n; ++j) {
      for (std::size_t s = 0; s < 3; ++s) {
        const char step = kSteps[s];
        if (j == 0 && step != 'I') {
          continue;
        }
        const std::size_t before = from(i, j, step);
        if (cost[before] + (step == 'M' ? differ(i, j) : 1) != cost[at(i, j)]) {
          continue;
        }
        for (std::size_t b = 0; b < 3; ++b) {
          penalties[at(i, j)][s] =
              std::min(penalties[at(i, j)][s], penalties[before][b] + open(kSteps[b], step) + at_end(i, step));
        }
      }
    }
  }

  // From each end with the locus' distance the way back, always by the first of M, I, D that the smallest penalty
  // allows: the steps from the read's right end on.
  int best_penalty = kNone;
  std::string best_steps;
  OracleAlignment best;
  for (std::size_t end = locus.run_begin - first; end <= n; ++end) {
    if (cost[at(m, end)] != locus.distance) {
      continue;
    }
    const auto& last = penalties[at(m, end)];
    const int penalty = *std::min_element(last.begin(), last.end());
    int left = penalty;
    char after = 'M';
    std::string steps;
    std::size_t j = end;
    for (std::size_t i = m; i > 0;) {
      std::size_t s = 0;
      while (penalties[at(i, j)][s] + open(kSteps[s], after) != left) {
        ++s;
      }
      const char step = kSteps[s];
      left = penalties[at(i, j)][s] - at_end(i, step);
      steps += step;
      after = step;
      i -= step != 'D';
      j -= step != 'I';
    }
    const auto goes_before = [&](char a, char b) { return kSteps.find(a) < kSteps.find(b); };
    if (penalty < best_penalty ||
        (penalty == best_penalty &&
         std::lexicographical_compare(steps.begin(), steps.end(), best_steps.begin(), best_steps.end(), goes_before))) {
      best_penalty = penalty;
      best_steps = steps;
      best = {first + j, first + end, std::string(steps.rbegin(), steps.rend())};
    }
  }
  return best;
}

}  // namespace trawl::match
