// The published scores of a site of Cas9 from S. pyogenes: how likely it is cut.
//
//   guide_scores("ATGTGGAGATTGCCACCTAC", "ATCTGGAGATTGCCACCTAC", "AGG")->cfd == 0.384615385
//   guide_scores("ATGTGGAGATTGCCACCTAC", "ATGT-GAGATTGCCACCTAC", "AGG")->cfd == 0.296875     // fifth base in a bulge
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "scan/pam.hpp"

namespace trawl::scan {

/// The published weights are for guides of 20 bases and a PAM of three letters after the guide.
inline constexpr std::size_t kScoredLength = 20;

struct GuideScores {
  double cfd = 0;             // cutting frequency determination, 0 to 1 (Doench et al. 2016)
  std::optional<double> mit;  // of a single hit, 0 to 100 (Hsu et al. 2013), without bulges; does not depend on the PAM
  unsigned pam_pair = 0;      // the last two letters of the PAM: 4 * code + code
};

/// `guide` and `text`, on the guide's strand, aligned as in AlignedSite: a bulge is '-' on the other side. `pam`: three
/// letters of the text. Upper or lower case. Nothing if there is no score: another length, or letters that are not A,
/// C, G or T. The weights of several bases in bulges, and of bulges and mismatches, are multiplied.
std::optional<GuideScores> guide_scores(std::string_view guide, std::string_view text, std::string_view pam);

/// Whether sites of guides of this length have scores; of the guide.
inline bool has_scores(std::size_t length, const Pam& pam) {
  return pam.is_last && pam.bases.size() == 3 && length == kScoredLength;
}
bool has_scores(std::string_view guide, const Pam& pam);

/// What an edit takes from CFD: -log2 of its weight as a whole number, so that sums do not depend on their order; at
/// most kNoActivity. `guide`, `text`: codes of bases on the guide's strand (sequence::base_code()), kBulgeCode, or
/// kNoBase. `column`: of the alignment, from 0 beside the PAM.
inline constexpr std::uint64_t kNoActivity = std::uint64_t{1} << 40;
inline constexpr std::uint8_t kBulgeCode = 4, kNoBase = 5;
std::uint64_t cfd_cost(std::uint8_t guide, std::uint8_t text, std::size_t column);

/// What a mismatch leaves: of CFD, by the codes of bases; of MIT. `place`: from the 5' end.
double cfd_weight(unsigned guide, unsigned text, std::size_t place);
double mit_weight(std::size_t place);
/// What MIT is divided by, besides the square of the number of mismatches (at least 2), if the last one is so many
/// places after the first one.
double mit_spread(std::size_t mismatches, std::size_t from_first_to_last);

/// Sums of scores are whole numbers of this unit, so that they do not depend on the order.
inline constexpr double kScoreUnit = 1e-9;
/// 100 * 100 / (100 + the sum of the scores, in percent, of all off-targets). `sum`: of all sites, in kScoreUnit;
/// `of_target`: the target's; `percent`: a score of 1 in percent (100 for CFD, 1 for MIT).
double specificity(std::uint64_t sum, double of_target, double percent);

/// The CFD of a site without mismatches that has these last two letters of the PAM (GuideScores::pam_pair).
double cfd_of_pam(unsigned pair);

}  // namespace trawl::scan
