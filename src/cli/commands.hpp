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

/// The command `help` of a program that has all its other commands and outlives it. It shows the help of one of them,
/// or writes it as a man page or as a completion of a shell. Its hidden option --write-all DIR writes all of these into
/// a folder: man/NAME.1, bash/trawl, zsh/_trawl, fish/trawl.fish.
Command help_command(const Program& program);

}  // namespace trawl::cli
