// The subcommands. Each adds itself to the command line and, when it is chosen, sets what main() runs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace trawl::cli {

using Command = std::function<void()>;

void add_map_command(CLI::App& app, Command& run);
void add_bench_command(CLI::App& app, Command& run);
void add_info_command(CLI::App& app, Command& run);

}  // namespace trawl::cli
