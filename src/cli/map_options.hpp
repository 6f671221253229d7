// The options of `trawl map`, as given, and what they mean.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/work_options.hpp"
#include "map/options.hpp"

namespace trawl::cli {

struct MapArguments : WorkArguments {
  std::string reference;
  std::string reads;
  std::string max_edits = "5%";
  std::string report = "best";
  std::uint32_t strata = 0;
  std::uint64_t max_hits = 0;
  std::string ambiguous = "mismatch";
  bool eqx = false;
  std::string read_group;
  std::string unmapped = "keep";
  std::string search = "auto";
  std::size_t batch_size = 0;
};

/// Declares the options on `command`.
void declare(CLI::App& command, MapArguments& arguments);

/// Throws UsageError.
map::Options map_options(const MapArguments& arguments);

/// The files of READS: a list with commas between.
std::vector<std::string> read_paths(const MapArguments& arguments);

/// The command line for @PG: what shapes the records, in a fixed form. What cannot change them (threads, engine, batch
/// size, where reads come from and records go) is left out, so that the same records make the same file.
std::string canonical_command_line(const MapArguments& arguments);

}  // namespace trawl::cli
