// The table of `trawl scan --summary`: a line for each guide.
//
//   with: const scan::GuideSummary& summary, const sequence::PatternList& patterns
//   write_guide_table(summary, patterns, "summary.tsv.gz", 6);
#pragma once

#include <string>

#include "scan/report/guide_summary.hpp"
#include "sequence/pattern.hpp"

namespace trawl::io {

/// Writes the counts and scores of the guides as .tsv, .csv, or these with .gz. `patterns`: without their PAM; those
/// that were not searched have a dot in each column. Throws UsageError for another extension, and IoError.
void write_guide_table(const scan::GuideSummary& summary, const sequence::PatternList& patterns,
                       const std::string& path, int compression_level);

}  // namespace trawl::io
