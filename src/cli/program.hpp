// What the programs have in common: they read the command line, run the chosen command, and say what failed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace trawl::cli {

/// What the chosen command does; its callback sets it.
using Command = std::function<void()>;

/// Adds the engines to the registry, and to `app` what it has as a program: its name, --version, that one of its
/// commands must be given. `commands`: the word for those in the help.
void prepare_program(CLI::App& app, const std::string& name, const std::string& commands);

/// Parses the command line and calls `run`. Returns the exit status: 0 done; 1 the input or the machine failed; 2 wrong
/// usage. A message begins with the program's name and the command's: "trawl map: what is wrong".
int run_program(CLI::App& app, const Command& run, int argc, char** argv);

}  // namespace trawl::cli
