// The options of `trawl scan`, as given by the user, and their meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/work_options.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/read/read_chunks.hpp"
#include "io/write/scan_lines.hpp"
#include "scan/options.hpp"

namespace trawl::cli {

/// The section of the help with the options for patterns in reads.
inline constexpr const char* kReadsGroup = "Reads";

/// What every search of patterns needs.
struct SearchArguments : WorkArguments {
  std::string reference;
  std::optional<std::uint32_t> max_edits;  // if not given: 0, or of guides the sum of their limits
  std::string metric = "levenshtein";
  std::string ambiguous = "mismatch";
  std::vector<std::string> circular;
  std::string search = "auto";
  std::uint64_t chunk_size = 0;
};

struct ScanArguments : SearchArguments {
  std::string pattern_file;
  std::vector<std::string> patterns;  // -p
  std::string strand = "both";
  std::string pam;
  std::uint32_t pam_mismatches = 0;
  std::optional<std::uint32_t> max_mismatches;
  std::string max_bulges;  // empty: not given
  std::uint32_t seed_length = 12;
  std::string summary;
  std::string annotation;  // --annotate
  std::string variants;    // --vcf
  std::string report = "loci";
  std::string per_read = "all";
  std::uint32_t margin = 1;
  std::string within;   // --within; empty: the whole read
  std::string extract;  // --extract; empty: no reads are written
  std::string trim = "none";
  bool has_output = false;  // -o was given
  std::string memory;       // --memory; empty: no limit
  std::string server;       // --server; empty: the work is done here
};

std::vector<Option> scan_table(ScanArguments& arguments);

/// The options that `trawl scan` and `trawl primers` have in common: those of matching; --tune, with more keys of one.
std::vector<Option> matching_table(SearchArguments& arguments);
Option tune_option(SearchArguments& arguments, std::vector<Option> more = {});

/// Their meaning. Throws UsageError.
scan::Options search_options(const SearchArguments& arguments);

/// Throws UsageError.
scan::Options scan_options(const ScanArguments& arguments);

/// --within. Throws UsageError.
io::ReadEnds read_ends(const ScanArguments& arguments);

/// With --per-read best: what decides which pattern a read has.
std::optional<scan::CallRule> call_rule(const ScanArguments& arguments);

/// The patterns of -p, then those of the file. Where that is an input of Cas-OFFinder, it says what it has besides in
/// `cas`. Throws UsageError, InputError, IoError.
scan::PatternList read_patterns(const ScanArguments& arguments, std::optional<io::CasOffinderInput>& cas);

/// Sets the options that an input of Cas-OFFinder gives, unless the user has. Returns what to say about it.
std::string take_options(const io::CasOffinderInput& cas, ScanArguments& arguments);

/// What a table knows of a site of a guide; with a PAM.
scan::GuideRules guide_rules(const ScanArguments& arguments, const scan::Options& options);

/// The columns of a table that follow from the options alone.
io::MoreColumns more_columns(const ScanArguments& arguments, const scan::Options& options);

/// The command line for @PG, in a fixed form, with only the options that can change the records, as for `trawl map`.
std::string canonical_command_line(const ScanArguments& arguments, const std::string& fasta);

}  // namespace trawl::cli
