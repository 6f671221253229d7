// The commands of trawl, except those that have rooms of their own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options/map_options.hpp"
#include "cli/options/option.hpp"
#include "cli/options/scan_options.hpp"

namespace trawl::cli {

/// Lets a server do the work of a command, if --server is given.
template <class Arguments>
using OnServer = std::function<void(const Arguments& arguments, const Command& given, session::CommandRun& run)>;

/// `on_server`: none: there is no option --server.
Command map_command(const OnServer<MapArguments>& on_server = {});
Command scan_command(const OnServer<ScanArguments>& on_server = {});
Command index_command();
Command mappability_command();
/// `libraries`: besides those that every build uses.
Command info_command(const std::vector<std::string>& libraries = {});

/// The command `help` of a program that has all its other commands and outlives it. It shows the help of one of them,
/// or writes it as a man page or as a completion of a shell. Its hidden option --write-all DIR writes all of these into
/// a folder: man/NAME.1, bash/trawl, zsh/_trawl, fish/trawl.fish.
Command help_command(const Program& program);

}  // namespace trawl::cli
