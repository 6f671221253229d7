// Which of a read's loci the user wants in the output.
//
//   const ReportRule rule{.report = Report::strata, .strata = 2};     // loci with up to 2 edits more than the best one
//   rule.max_hits == 0                                                // as many as there are
#pragma once

#include <cstdint>

namespace trawl::align {

/// The largest edit distance that may be allowed for any read; less than sequence::kContigGap.
inline constexpr std::uint32_t kMaxEdits = 255;

enum class Report { best, strata, all };

struct ReportRule {
  Report report = Report::best;
  std::uint32_t strata = 0;       // with Report::strata: loci up to this many edits worse than the best
  std::uint64_t max_hits = 0;     // alignments per read; 0: no limit
  std::uint32_t edit_points = 1;  // what an edit counts in the distance of a locus; of a piece, the penalty
  bool placements = false;        // with strata and all: a record for each placement of a locus (align/placements.hpp)
  bool counts_worse = false;      // worse loci of a single read are counted however many are best (align/select.hpp)
  bool split = false;  // a read may lie at two places: pieces of other bases do not count against its mapping quality
};

}  // namespace trawl::align
