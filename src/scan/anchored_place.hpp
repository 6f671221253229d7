// A pattern at a known place of a text: where one of its ends is known, by plain dynamic programming.
//
//   const AnchoredPlace place = align_anchored("GATTACA", "GATACATT", match::Metric::levenshtein, false);
//   place.distance == 1 && place.letters == 6
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "match/metric.hpp"

namespace trawl::scan {

/// How many edits a pattern has at the beginning of a text, of which as many letters are used as are best: of several
/// such numbers the nearest to its own length. `whole`: of all letters of the text. Wagner and Fischer 1974.
struct AnchoredPlace {
  std::uint32_t distance = 0;
  std::uint32_t letters = 0;
};
AnchoredPlace align_anchored(std::string_view pattern, std::string_view text, match::Metric metric, bool whole);

/// The best alignment of a pattern with all of a text, in the direction of the text.
///   cigar_of("ACGT", "AGT", match::Metric::levenshtein) == "1M1I2M"
std::string cigar_of(std::string_view pattern, std::string_view text, match::Metric metric);

/// The CIGAR of an alignment's steps.
///   run_lengths("SMMMI") == "1S3M1I"
std::string run_lengths(std::string_view steps);

}  // namespace trawl::scan
