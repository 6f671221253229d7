// `trawl help [COMMAND]`, and what installers need: man pages and completions.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/program.hpp"

namespace trawl::cli {

/// Adds the command `help` to a program that has all its other commands. It shows the help of one of them, or writes it
/// as a man page or as a completion of a shell. Its hidden option --write-all DIR writes all of these into a folder:
/// man/NAME.1, bash/trawl, zsh/_trawl, fish/trawl.fish.
void add_help_command(CLI::App& app, Command& run);

}  // namespace trawl::cli
