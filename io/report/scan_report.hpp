// The data of the page that --report-html of `trawl scan` writes.
//
//   with: ScanStats& stats, const sequence::PatternList& patterns, const std::vector<sequence::Contig>& contigs
//   with: const RunFiles& files, std::unique_ptr<ContigSource> source
//   const std::vector<ContigRegion> windows = site_windows(*stats.sites, contigs);
//   const std::vector<std::string> letters = read_letters(std::move(source), windows, 8);
//   const ScanReport report{stats, patterns, contigs, files, false, false, windows, letters};
//   write_report_page(scan_report_json(report), "report.html");
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/read/bed_regions.hpp"
#include "io/read/fasta_stream.hpp"
#include "io/report/report_page.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/stats/site_sample.hpp"
#include "sequence/pattern.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// How many patterns have a line in the page's table: the first ones.
inline constexpr std::size_t kShownPatterns = 10'000;
/// Bases shown on each side of a site.
inline constexpr std::uint64_t kFlank = 50;

/// The sites that the page shows, with their flanks; sites that lie close together share a window. By place.
std::vector<ContigRegion> site_windows(const SiteSample& sites, const std::vector<sequence::Contig>& contigs);

/// The letters of these windows, which are in the order of the reference. Reads the reference up to the last of them.
std::vector<std::string> read_letters(std::unique_ptr<ContigSource> reference, const std::vector<ContigRegion>& windows,
                                      unsigned threads);

struct ScanReport {
  ScanStats& stats;                       // with records_by_pattern and sites
  const sequence::PatternList& patterns;  // with the PAM
  const std::vector<sequence::Contig>& contigs;
  const RunFiles& files;
  bool leaves_out_alleles;  // sites with alternative alleles were found, too; the page does not have them
  bool ambiguous_matches;   // as in scan::ScanOptions
  const std::vector<ContigRegion>& windows;
  const std::vector<std::string>& letters;  // of the windows; none: the reference could not be read again
};

std::string scan_report_json(const ScanReport& report);

}  // namespace trawl::io
