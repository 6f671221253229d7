// `trawl primers`: the products of primers; its options, and their meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "align/pair_rule.hpp"
#include "cli/options/scan_options.hpp"
#include "scan/melting.hpp"
#include "scan/primer_pool.hpp"

namespace trawl::primers {

struct PrimersArguments : cli::SearchArguments {
  std::string primer_file;
  std::optional<align::InsertRange> sizes = align::InsertRange{50, 2000};
  std::uint32_t three_prime = 0;
  std::optional<scan::Combine> combine;              // nothing: as the file asks for
  std::optional<std::pair<double, double>> melting;  // --tm, from and to; nothing: all
  scan::MeltingConditions conditions;
  std::string summary;
  std::string mispriming;
  std::string dimers;
  std::uint32_t dimer_energy = 6;
};

std::vector<cli::Option> primers_table(PrimersArguments& arguments);

/// Throws UsageError.
scan::ScanOptions primers_options(const PrimersArguments& arguments);

cli::Command primers_command();

/// "55-65".
std::string melting_text(const std::optional<std::pair<double, double>>& range);

}  // namespace trawl::primers
