// The subcommands. Each adds itself to the command line and, when it is chosen, sets what main() runs. `typed` is the
// whole command line, for the statistics of a run.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/program.hpp"

namespace trawl::cli {

void add_map_command(CLI::App& app, Command& run, const std::string& typed);
void add_scan_command(CLI::App& app, Command& run, const std::string& typed);
void add_info_command(CLI::App& app, Command& run);

/// A command with options: `declare(command, arguments)` declares them, `work` does what they say.
template <class Arguments>
void add_command(CLI::App& app, const char* name, const char* description, Command& run, const std::string& typed,
                 void (*work)(const Arguments&)) {
  auto* command = app.add_subcommand(name, description);
  auto arguments = std::make_shared<Arguments>();
  arguments->command_line = typed;
  declare(*command, *arguments);
  command->callback([arguments, work, &run] { run = [arguments, work] { work(*arguments); }; });
}

/// For the help only: run_bench() does the work.
void add_bench_command(CLI::App& app);

/// `trawl bench ARGUMENTS...`: becomes the program trawl-bench, which lies beside this one. Returns only where that
/// fails, with the exit status.
int run_bench(int argc, char** argv);

}  // namespace trawl::cli
