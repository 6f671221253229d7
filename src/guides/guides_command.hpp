// `trawl guides`: every guide of a reference.
#pragma once

#include "cli/options/option.hpp"

namespace trawl::guides {

///   cli::Command command = guides_command();
cli::Command guides_command();

}  // namespace trawl::guides
