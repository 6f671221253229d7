// `trawl primers`: the products of primers.
#pragma once

#include "cli/options/option.hpp"

namespace trawl::primers {

cli::Command primers_command();

}  // namespace trawl::primers
