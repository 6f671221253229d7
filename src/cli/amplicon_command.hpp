// `trawl scan --amplicons`: the products of primer pairs.
#pragma once

#include "cli/scan_options.hpp"

namespace trawl::cli {

/// Finds the loci of all primers and writes the products. Throws UsageError, InputError, IoError, Error.
void run_amplicons(const ScanArguments& arguments);

}  // namespace trawl::cli
