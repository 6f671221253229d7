// The published scores of a site of Cas9 from S. pyogenes: how likely it is cut.
//
//   guide_scores("ATGTGGAGATTGCCACCTAC", "ATCTGGAGATTGCCACCTAC", "AGG")->cfd == 0.384615385
//   guide_scores("ATGTGGAGATTGCCACCTAC", "ATGT-GAGATTGCCACCTAC", "AGG")->cfd == 0.296875     // fifth base in a bulge
#pragma once

#include <cstddef>
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

/// Whether sites of the guide have scores.
bool has_scores(std::string_view guide, const Pam& pam);

/// The CFD of a site without mismatches that has these last two letters of the PAM (GuideScores::pam_pair).
double cfd_of_pam(unsigned pair);

}  // namespace trawl::scan
