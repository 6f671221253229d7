// What the programs have in common: they read the command line, run the chosen command, and say what failed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace trawl::cli {

/// What the chosen command does; its callback sets it.
using Command = std::function<void()>;

/// Parses the command line and calls `run`. Returns the exit status: 0 done; 1 the input or the machine failed; 2 wrong
/// usage. A message begins with the program's name and the command's: "trawl map: what is wrong".
int run_program(CLI::App& app, const Command& run, int argc, char** argv);

}  // namespace trawl::cli
