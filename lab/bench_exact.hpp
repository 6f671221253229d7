// `trawl-bench exact`: checks and times exact matchers beside each other.
#pragma once

#include "lab/bench_exact_options.hpp"

namespace trawl::lab {

/// Prints what --list asks for.
void list_exact_matchers();
/// Times all algorithms for all texts, patterns and settings. Throws UsageError before anything runs, InputError,
/// IoError, and Error if a result is wrong.
void run_exact(const ExactOptions& options);

}  // namespace trawl::lab
