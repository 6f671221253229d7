// What trawl and trawl-bench have in common: they read the command line, run the chosen command, and report errors.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ranks/cluster.hpp"

namespace trawl::cli {

/// Runs the chosen command; the command's callback sets it. Under mpirun every rank calls it.
using Command = std::function<void(ranks::Cluster&)>;

/// A command that knows nothing of ranks: only the first one runs it.
inline Command on_first_rank(std::function<void()> work) {
  return [work = std::move(work)](ranks::Cluster& cluster) {
    if (cluster.is_first()) {
      work();
    }
  };
}

/// Adds the engines to the registry. Gives `app` its name, --version, --cite, and the rule that a command must be
/// given. `commands`: the word for the commands in the help text.
void prepare_program(CLI::App& app, const std::string& name, const std::string& commands);

/// What the message about an unknown command adds, if it is not did_you_mean(). `commands`: the names of all.
using NoCommand = std::function<std::string(const std::string& word, const std::vector<std::string>& commands)>;

/// Adds the command `help` and the help options, parses the command line and calls `run`. Returns the exit status: 0
/// success; 1 the input or the machine failed; 2 wrong usage. Without a word it shows the help, which has the commands.
/// A message begins with the names of the program and the command: "trawl map: what is wrong". Under mpirun an error on
/// one rank ends all of them, and the message names it: "trawl map: rank 2 on node07: what is wrong". `less_memory` is
/// what the message about too little memory recommends, for example "a smaller reference".
int run_program(CLI::App& app, Command& run, int argc, char** argv, const std::string& less_memory,
                const NoCommand& no_command = {});

}  // namespace trawl::cli
