// The subcommands. Each adds itself to the command line and, when it is chosen, sets what main() runs. `typed` is the
// whole command line, for the statistics of a run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace trawl::cli {

using Command = std::function<void()>;

void add_map_command(CLI::App& app, Command& run, const std::string& typed);
void add_scan_command(CLI::App& app, Command& run, const std::string& typed);
void add_bench_command(CLI::App& app, Command& run);
void add_info_command(CLI::App& app, Command& run);

}  // namespace trawl::cli
