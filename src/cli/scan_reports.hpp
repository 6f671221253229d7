// What `trawl scan` reads before the search, and what it writes beside its output: the table of
// --summary, --multiqc, --report-html, --igv-session.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/scan_options.hpp"
#include "io/read/annotation.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/stats/scan_stats.hpp"
#include "run/load_reference.hpp"
#include "scan/options.hpp"
#include "sequence/pattern.hpp"
#include "sequence/reference.hpp"

namespace trawl::cli {

/// What `trawl scan` reads before the search. Under mpirun the first rank reads it, and all ranks have it.
struct ScanInputs {
  scan::PatternList patterns;                            // without the PAM
  std::optional<io::CasOffinderInput> cas;               // what an input of Cas-OFFinder says besides
  std::shared_ptr<const io::Annotation> genes;           // --annotate
  run::ReferenceStream reference;                        // its contigs on the first rank only
  std::shared_ptr<const sequence::Reference> in_memory;  // the same reference, with --vcf

  /// The genes and the reference. Throws InputError, IoError.
  /// `names_may_repeat`: as for run::open_reference().
  void open_reference(const ScanArguments& arguments, unsigned threads, bool names_may_repeat = false);

  std::string packed() const;
  void unpack(std::string_view bytes);
};

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
