// `trawl scan`, from its options to its files.
//
//   with: const cli::ScanArguments& arguments, CommandRun& run
//   run_scan(arguments, true, run);
#pragma once

#include "cli/options/scan_options.hpp"
#include "session/command_run.hpp"

namespace trawl::session {

/// Under mpirun each rank calls it. `has_output`: -o was given. Throws UsageError, InputError, IoError, Error.
void run_scan(const cli::ScanArguments& arguments, bool has_output, CommandRun& run);

}  // namespace trawl::session
