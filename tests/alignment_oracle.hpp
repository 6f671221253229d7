// The oracle: plain dynamic programming, simple rather than fast, which tests compare all searches with. It finds the
// loci of a read, and picks, among all alignments of a locus, the one that the record must show. An alignment is
// written as a text with one letter per step, from the read's left end: M (match or mismatch), I (insertion: a base of
// the read only), D (deletion: a base of the reference only).
//
//   end_distances("ACGT", "TTACTTT") == {4, 3, 3, 3, 2, 1, 1, 2}       // at end positions 0 to 7
//   oracle_loci("ACGT", "TTACTTT", 1) == {{5, 6, 5, 1}}                 // the run 5 to 6; its end 5; distance 1
//   edit_distance("GATTACA", "GATACAT") == 2
//   const std::string read = "GTCCAATCG", text = "TGTCCAAAATCGT";       // two of four A are missing
//   best_alignment(read, text, oracle_loci(read, text, 2)[0]) == {1, 12, "MMMMDDMMMMM"}  // one gap, as left as it goes
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/alphabet.hpp"
#include "tests/pattern_oracle.hpp"

namespace trawl::match {

/// What an ambiguous base matches: nothing, or every base that it may stand for. Holds for the read and for the text.
enum class AmbiguityRule { matches_nothing, matches_its_set };

inline bool letters_match(char a, char b, AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  const auto set_a = sequence::iupac_set(a);
  const auto set_b = sequence::iupac_set(b);
  if (rule == AmbiguityRule::matches_its_set) {
    return (set_a & set_b) != 0;
  }
  const auto code = sequence::base_code(a);
  return code != sequence::kAmbiguous && code == sequence::base_code(b);
}

/// The distances of tests::distances_by, for a read.
inline std::vector<int> end_distances(std::string_view read, std::string_view text,
                                      AmbiguityRule rule = AmbiguityRule::matches_nothing, bool anchored = false) {
  return tests::distances_by(read, text, anchored, [&](char a, char b) { return letters_match(a, b, rule); });
}

/// A longest possible run of consecutive end positions with D(j) <= e. `end` is the leftmost position in it with the
/// smallest D. A position is the number of letters up to the end, so the first possible end is 1.
struct OracleLocus {
  std::size_t run_begin = 0;
  std::size_t run_end = 0;  // the last position of the run
  std::size_t end = 0;
  int distance = 0;

  bool operator==(const OracleLocus&) const = default;
};

/// All loci of a read on one strand of one contig. A read that is not longer than e has none: it would match
/// everywhere. Positions j for which is_end(j) is false are no ends.
template <class IsEnd>
std::vector<OracleLocus> oracle_loci(std::string_view read, std::string_view text, int max_edits, AmbiguityRule rule,
                                     const IsEnd& is_end) {
  std::vector<OracleLocus> loci;
  if (read.size() <= static_cast<std::size_t>(max_edits)) {
    return loci;
  }
  const auto distances = end_distances(read, text, rule);
  for (std::size_t j = 1; j < distances.size(); ++j) {
    if (distances[j] > max_edits || !is_end(j)) {
      continue;
    }
    if (loci.empty() || loci.back().run_end + 1 != j) {
      loci.push_back({j, j, j, distances[j]});
    }
    auto& locus = loci.back();
    locus.run_end = j;
    if (distances[j] < locus.distance) {
      locus.distance = distances[j];
      locus.end = j;
    }
  }
  return loci;
}

inline std::vector<OracleLocus> oracle_loci(std::string_view read, std::string_view text, int max_edits,
                                            AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  return oracle_loci(read, text, max_edits, rule, [](std::size_t) { return true; });
}

/// The edit distance between two whole strings.
inline int edit_distance(std::string_view a, std::string_view b, AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  return end_distances(a, b, rule, true).back();
}

/// Positions are as in OracleLocus: position p lies after the first p letters of the text.
struct OracleAlignment {
  std::size_t start = 0;
  std::size_t end = 0;
  std::string steps;

  bool operator==(const OracleAlignment&) const = default;
};

/// "MMMID" as a CIGAR: 3M1I1D.
inline std::string run_lengths(const std::string& steps) {
  std::string cigar;
  for (std::size_t i = 0; i < steps.size();) {
    const std::size_t next = std::min(steps.find_first_not_of(steps[i], i), steps.size());
    cigar += std::to_string(next - i) + steps[i];
    i = next;
  }
  return cigar;
}

/// The best of all alignments of the whole read that have the locus' distance and end anywhere in its run: the one with
///   1. the fewest gaps (a gap: consecutive insertions, or consecutive deletions),
///   2. then the fewest gaps at the read's ends (a deletion after the last base is one, too; it can only be there if
///      the run has an end with a smaller distance, as runs of clipped loci may have),
///   3. then the gaps leftmost: at the last step where two alignments differ, M is better than I, and I than D,
///   4. then the leftmost end.
/// `locus` must come from oracle_loci(read, text, .., rule), or be a part of such a run. Takes O(|read| (|read| +
/// length of the run)) time.
inline OracleAlignment best_alignment(std::string_view read, std::string_view text, const OracleLocus& locus,
                                      AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  // The part of the text that such an alignment can touch: at most |read| + distance letters.
  const std::size_t reach = read.size() + static_cast<std::size_t>(locus.distance);
  const std::size_t first = locus.run_begin > reach ? locus.run_begin - reach : 0;
  const std::string_view window = text.substr(first, locus.run_end - first);
  const std::size_t m = read.size();
  const std::size_t n = window.size();
  const auto at = [n](std::size_t i, std::size_t j) { return i * (n + 1) + j; };

  // The smallest cost of the first i read letters against letters that end at j (Sellers 1980). The first part of every
  // wanted alignment has exactly this cost: if a cheaper part existed, the whole would cost less than the locus'
  // distance.
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

  // penalties[at(i, j)][s]: the smallest penalty of all alignments with that cost whose last step is kSteps[s]. Each
  // gap costs kGap. A gap that holds the read's first or last letter costs 1 more.
  constexpr std::string_view kSteps = "MID";
  constexpr char kEnd = '.';
  constexpr int kGap = 4;
  constexpr int kNone = std::numeric_limits<int>::max() / 2;
  std::vector<std::array<int, 3>> penalties((m + 1) * (n + 1), {kNone, kNone, kNone});
  const auto from = [&](std::size_t i, std::size_t j, char step) {
    return at(step == 'D' ? i : i - 1, step == 'I' ? j : j - 1);
  };
  const auto open = [&](char before, char step) { return step != 'M' && step != before ? kGap : 0; };
  const auto after_last = [&](char step, char after) {
    return after == kEnd ? (step == 'D' ? 1 : 0) : open(step, after);
  };
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

  // Trace back from each end that has the locus' distance. At each step take the first of M, I, D that keeps the
  // smallest penalty. The steps come out from the read's right end to its left end.
  int best_penalty = kNone;
  std::string best_steps;
  OracleAlignment best;
  for (std::size_t end = locus.run_begin - first; end <= n; ++end) {
    if (cost[at(m, end)] != locus.distance) {
      continue;
    }
    const auto& last = penalties[at(m, end)];
    int penalty = kNone;
    for (std::size_t s = 0; s < 3; ++s) {
      penalty = std::min(penalty, last[s] + after_last(kSteps[s], kEnd));
    }
    int left = penalty;
    char after = kEnd;
    std::string steps;
    std::size_t j = end;
    for (std::size_t i = m; i > 0;) {
      std::size_t s = 0;
      while (penalties[at(i, j)][s] + after_last(kSteps[s], after) != left) {
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
