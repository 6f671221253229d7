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

}  // namespace trawl::cli
