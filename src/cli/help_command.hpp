// `trawl help [COMMAND]`, and what installers need: man pages and completions.
#pragma once

#include "cli/options/option.hpp"

namespace trawl::cli {

/// The command `help` of a program that has all its other commands and outlives it. It shows the help of one of them,
/// or writes it as a man page or as a completion of a shell. Its hidden option --write-all DIR writes all of these into
/// a folder: man/NAME.1, bash/trawl, zsh/_trawl, fish/trawl.fish.
Command help_command(const Program& program);

}  // namespace trawl::cli
