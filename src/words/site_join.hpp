// Compares the words of sites with each other: how many sites each has by mismatches, and the sums of their scores.
//
//   with: SiteWords& words
//   words.forget_asked();
//   words.ask(7);
//   words.end_asking();
//   std::vector<SiteSums> sums = own_sums(words);                     // of word 7
//   make_cpu_site_join()->add(words, sums, [](double share) { std::printf("%.0f%%\n", 100 * share); });
//   if (sums[0].sites[0] == 1) { ... }                                // no other site has the same bases
//
// Scores are whole numbers of scan::kScoreUnit:
//
//   score_pair(make_pair_scores(), GuideWord::of(0, 0, 10), GuideWord::of(0, 0, 10)).cfd == 1'000'000'000   // GG is 10
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

/// The sites of a guide, with its own one. Sites with ambiguous bases have no scores.
struct SiteSums {
  std::uint32_t sites[SiteRule::kMostMismatches + 1] = {};  // by mismatches
  std::uint32_t without_score = 0;
  ScoreSums scores;
};

/// By SiteWords::place(), of the words that are asked for: the sites with these bases and this PAM.
std::vector<SiteSums> own_sums(const SiteWords& words);

/// Of an engine. The sums do not depend on it.
class SiteJoin {
 public:
  virtual ~SiteJoin() = default;
  /// Adds all other sites to own_sums(). Says from time to time which share is done. Throws Error.
  virtual void add(const SiteWords& words, std::span<SiteSums> sums, const std::function<void(double)>& progress) = 0;
  virtual std::string description() const = 0;
  /// How many words it can count for at a time.
  virtual std::uint64_t most_asked() const { return ~std::uint64_t{0}; }
};

/// Works with all threads of the caller's arena.
std::unique_ptr<SiteJoin> make_cpu_site_join();

}  // namespace trawl::words
