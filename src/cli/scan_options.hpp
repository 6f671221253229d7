// The options of `trawl scan`, as given by the user, and their meaning.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/work_options.hpp"
#include "io/read/pattern_reader.hpp"
#include "scan/options.hpp"

namespace trawl::cli {

struct ScanArguments : WorkArguments {
  std::string reference;
  std::string pattern_file;
  std::vector<std::string> patterns;       // -p
  std::optional<std::uint32_t> max_edits;  // if not given: 0, or the sum of the limits for guides
  std::string metric = "levenshtein";
  std::string strand = "both";
  std::string ambiguous = "mismatch";
  std::string max_ambiguous;  // empty: not given
  std::string pam;
  std::uint32_t pam_mismatches = 0;
  std::optional<std::uint32_t> max_mismatches;
  std::optional<std::uint32_t> max_bulges;
  std::uint32_t seed_length = 12;
  std::string summary;
  std::string annotation;  // --annotate
  std::string variants;    // --vcf
  std::string order = "position";
  std::string amplicons;  // MIN-MAX; empty: patterns are no primers
  std::uint32_t three_prime = 0;
  std::string report = "loci";
  std::string search = "auto";
  std::string memory;  // --memory; empty: no limit
  std::uint64_t chunk_size = 0;
};

/// Declares the options on `command`.
void declare(CLI::App& command, ScanArguments& arguments);

/// Throws UsageError.
scan::Options scan_options(const ScanArguments& arguments);

/// The patterns of -p, then those of the file. Where that is an input of Cas-OFFinder, it says what it has besides in
/// `cas`. Throws UsageError, InputError, IoError.
scan::PatternList read_patterns(const ScanArguments& arguments, std::optional<io::CasOffinderInput>& cas);

/// Sets the options that an input of Cas-OFFinder gives, unless the user has. Returns what to say about it. Throws
/// UsageError if the user gave another PAM.
std::string take_options(const io::CasOffinderInput& cas, ScanArguments& arguments);

/// The command line for @PG, in a fixed form, with only the options that can change the records, as for `trawl map`.
std::string canonical_command_line(const ScanArguments& arguments, const std::string& fasta);

}  // namespace trawl::cli
