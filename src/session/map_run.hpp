// `trawl map`, from its options to its files.
//
//   with: const cli::MapArguments& arguments, CommandRun& run
//   run_map(arguments, run);
#pragma once

#include "cli/options/map_options.hpp"
#include "session/command_run.hpp"

namespace trawl::session {

/// Under mpirun each rank calls it. Throws UsageError, InputError, IoError, Error.
void run_map(const cli::MapArguments& arguments, CommandRun& run);

}  // namespace trawl::session
