// The options of the library's callers, as the tables of the command line know them.
//
//   const cli::MapArguments arguments = map_arguments({{"report", "all"}, {"edits", 3}});
//   arguments.rules.report == map::Report::all
//   arguments.rules.max_edits.number == 3
#pragma once

#include "cli/options/map_options.hpp"
#include "cli/options/scan_options.hpp"
#include "trawl/options.hpp"

namespace trawl::api {

/// Throws UsageError for an option that does not exist, for one of the program only, and for a wrong value.
cli::MapArguments map_arguments(const Options& options);
cli::ScanArguments scan_arguments(const Options& options);

}  // namespace trawl::api
