// The subcommands. Each one adds itself to the command line. If it is chosen, it sets the function that main() runs.
// `typed` is the whole command line as typed, for the statistics of a run.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/program.hpp"

namespace trawl::cli {

void add_map_command(CLI::App& app, Command& run, const std::string& typed);
void add_scan_command(CLI::App& app, Command& run, const std::string& typed);
void add_index_command(CLI::App& app, Command& run, const std::string& typed);
void add_mappability_command(CLI::App& app, Command& run, const std::string& typed);
void add_info_command(CLI::App& app, Command& run);

/// A command with options: `declare(command, arguments)` declares them, `work` runs the command.
template <class Arguments>
void add_command(CLI::App& app, const char* name, const char* description, Command& run, const std::string& typed,
                 void (*work)(const Arguments&)) {
  auto* command = app.add_subcommand(name, description);
  auto arguments = std::make_shared<Arguments>();
  arguments->command_line = typed;
  declare(*command, *arguments);
  command->callback([arguments, work, &run] { run = on_first_rank([arguments, work] { work(*arguments); }); });
}

/// The same for a command that all ranks share under mpirun.
template <class Arguments>
void add_command(CLI::App& app, const char* name, const char* description, Command& run, const std::string& typed,
                 void (*work)(const Arguments&, ranks::Cluster&)) {
  auto* command = app.add_subcommand(name, description);
  auto arguments = std::make_shared<Arguments>();
  arguments->command_line = typed;
  declare(*command, *arguments);
  command->callback(
      [arguments, work, &run] { run = [arguments, work](ranks::Cluster& cluster) { work(*arguments, cluster); }; });
}

/// Only for the help text; run_bench() does the work.
void add_bench_command(CLI::App& app);

/// `trawl bench ARGUMENTS...`: replaces this program by trawl-bench, which lies in the same folder. Returns only if
/// that fails, with the exit status.
int run_bench(int argc, char** argv);

}  // namespace trawl::cli
