// `trawl-bench multi`: checks and times matchers of sets beside each other.
#pragma once

#include "lab/bench_multi_options.hpp"
#include "ranks/cluster.hpp"

namespace trawl::lab {

/// Prints what --list asks for.
void list_set_matchers();
/// Times all algorithms for all texts, sets and settings. Throws UsageError before anything runs, InputError, IoError,
/// and Error if a result is wrong.
/// Under mpirun all ranks call it; see RankSearch.
void run_multi(const MultiOptions& options, ranks::Cluster& cluster);

}  // namespace trawl::lab
