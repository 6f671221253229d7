// What `trawl map` and `trawl scan` write beside their output: --multiqc, --report-html, --igv-session, and the table
// of --summary.
#pragma once

#include <string>
#include <vector>

#include "cli/options/map_options.hpp"
#include "cli/options/scan_options.hpp"
#include "io/read/read_input.hpp"
#include "io/report/map_report.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/scan_stats.hpp"
#include "scan/options.hpp"
#include "sequence/pattern.hpp"
#include "sequence/reference.hpp"

namespace trawl::session {

/// Whether --report-html or --igv-session is given, which show places.
bool shows_places(const cli::WorkArguments& arguments);

/// With --igv-session: where the FASTA of the reference is. Throws UsageError if IGV cannot open it or the output.
std::string genome_of_session(const std::string& reference, const std::string& output, bool is_sorted);

struct MapReports {
  const cli::MapArguments& arguments;
  const map::MapOptions& options;
  const io::ReadInput::Files& files;
  const std::string& fasta;   // the name of the reference
  const std::string& genome;  // from genome_of_session()
};

/// Writes those that the user asked for. `places`: null if nothing shows them. Throws IoError.
void write_map_reports(const MapReports& reports, io::MapReport* places, const io::RunStats& stats);

struct ScanReports {
  const cli::ScanArguments& arguments;
  const scan::ScanOptions& options;
  int compression_level;                  // of --summary and --counts
  const sequence::PatternList& patterns;  // as given
  const io::PatternColumns& columns;      // of their table, with --counts
  const sequence::PatternList& searched;  // with the PAM
  const std::vector<sequence::Contig>& contigs;
  const std::string& fasta;
  const std::string& genome;
};

/// Writes those that the user asked for. Throws IoError.
void write_scan_reports(const ScanReports& reports, io::ScanStats& stats);

/// The last line of a scan: "3 patterns, 133000000 bases, 12 loci, 2.0 s". `in_reads`: reads were searched.
std::string scan_summary(const io::ScanStats& stats, const scan::ScanOptions& options, bool in_reads = false);

}  // namespace trawl::session
