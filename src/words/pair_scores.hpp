// The scores of pairs of words, for host and device: the same numbers as scan::guide_scores().
//
//   const PairScores scores = make_pair_scores();
//   const std::uint64_t guide = GuideWord::of(0, 0, 10), site = GuideWord::of(1, 0, 10);     // GG is 10
//   score_pair(scores, guide, guide).cfd == 1'000'000'000                 // in units of scan::kScoreUnit
//   score_pair(scores, guide, site).mit == 100'000'000'000                // the first base does not count
#pragma once

#include <cmath>
#include <cstdint>

#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "scan/report/guide_scores.hpp"
#include "words/site_words.hpp"

namespace trawl::words {

/// Scores, or sums of them, in units of scan::kScoreUnit.
struct ScoreSums {
  std::uint64_t cfd = 0;
  std::uint64_t mit = 0;
};

/// The published weights: scan/report/guide_scores.hpp.
struct PairScores {
  double cfd[scan::kScoredLength][16];  // by base; 4 * code of the guide + code of the site
  double mit[scan::kScoredLength];      // by base
  double spread[SiteRule::kMostMismatches + 1]
               [scan::kScoredLength];  // by number of mismatches, and from the first to the last
  double cfd_of_pam[16];
};

PairScores make_pair_scores();

/// `guide` and `site` are GuideWords with at most kMostMismatches mismatches.
TRAWL_HOST_DEVICE inline ScoreSums score_pair(const PairScores& scores, std::uint64_t guide, std::uint64_t site) {
  double cfd = 1, mit = 100;
  unsigned mismatches = 0, first = 0, last = 0;
  for (std::uint32_t left = GuideWord::differing(guide, site); left != 0; left &= left - 1) {
    const unsigned i = lowest_bit(left);
    const unsigned code = static_cast<unsigned>((guide >> (36 + i) & 1) << 3 | (guide >> (4 + i) & 1) << 2 |
                                                (site >> (36 + i) & 1) << 1 | (site >> (4 + i) & 1));
    cfd *= scores.cfd[i][code];
    mit *= scores.mit[i];
    first = mismatches == 0 ? i : first;
    last = i;
    ++mismatches;
  }
  cfd *= scores.cfd_of_pam[site & GuideWord::kPam];
  if (mismatches > 1) {
    mit /= scores.spread[mismatches][last - first];
    mit /= static_cast<double>(mismatches * mismatches);
  }
  return {static_cast<std::uint64_t>(llround(cfd / scan::kScoreUnit)),
          static_cast<std::uint64_t>(llround(mit / scan::kScoreUnit))};
}

}  // namespace trawl::words
