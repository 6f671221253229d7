// What a user asks to be reported of a read's loci.
#pragma once

#include <cstdint>

namespace trawl::align {

/// The largest edit distance that any read may be given; below sequence::kContigGap.
inline constexpr std::uint32_t kMaxEdits = 255;

enum class Report { best, strata, all };

struct ReportRule {
  Report report = Report::best;
  std::uint32_t strata = 0;    // with Report::strata: loci up to that many edits worse than the best
  std::uint64_t max_hits = 0;  // alignments a read; 0: no limit
};

}  // namespace trawl::align
