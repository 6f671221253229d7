// The commands of trawl. `typed`: the whole command line as typed, for the statistics of a run.
#pragma once

#include <string>

#include "cli/options/option.hpp"

namespace trawl::cli {

Command map_command(const std::string& typed);
Command scan_command(const std::string& typed);
Command primers_command(const std::string& typed);
Command index_command(const std::string& typed);
Command mappability_command(const std::string& typed);
Command serve_command(const std::string& typed);
Command info_command();
/// Only for the help text; run_bench() does the work.
Command bench_command();

/// `trawl bench ARGUMENTS...`: replaces this program by trawl-bench, which lies in the same folder. Returns only if
/// that fails, with the exit status.
int run_bench(int argc, char** argv);

}  // namespace trawl::cli
