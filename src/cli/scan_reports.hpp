// What `trawl scan` writes beside its output: the table of --summary, --multiqc, --report-html, --igv-session.
#pragma once

#include <string>
#include <vector>

#include "cli/options/scan_options.hpp"
#include "io/stats/scan_stats.hpp"
#include "sequence/pattern.hpp"
#include "sequence/reference.hpp"

namespace trawl::cli {

struct ScanReports {
  const ScanArguments& arguments;
  unsigned threads;
  bool ambiguous_matches;                 // as in scan::Options
  int compression_level;                  // of --summary
  const sequence::PatternList& patterns;  // as given
  const sequence::PatternList& searched;  // with the PAM
  const std::vector<sequence::Contig>& contigs;
  const std::string& fasta;   // the name of the reference
  const std::string& genome;  // with --igv-session: where its FASTA is
};

/// Whether --report-html or --igv-session is given, which need the sites of each pattern.
bool shows_sites(const ScanArguments& arguments);

/// Writes those that the user asked for. Throws IoError.
void write_scan_reports(const ScanReports& reports, io::ScanStats& stats);

/// The last line: "3 patterns, 133000000 bases, 12 loci, 2.0 s". `in_reads`: reads were searched.
std::string scan_summary(const io::ScanStats& stats, const scan::Options& options, bool in_reads = false);

}  // namespace trawl::cli
