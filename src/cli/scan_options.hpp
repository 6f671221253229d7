// The options of `trawl scan`, as given by the user, and their meaning.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/work_options.hpp"
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
  std::string pam;
  std::uint32_t pam_mismatches = 0;
  std::optional<std::uint32_t> max_mismatches;
  std::optional<std::uint32_t> max_bulges;
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

/// The patterns of -p, then those of the file. Throws UsageError, InputError, IoError.
scan::PatternList read_patterns(const ScanArguments& arguments);

/// The command line for @PG, in a fixed form, with only the options that can change the records, as for `trawl map`.
std::string canonical_command_line(const ScanArguments& arguments, const std::string& fasta);

}  // namespace trawl::cli
