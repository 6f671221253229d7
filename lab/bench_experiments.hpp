// The experiments of `trawl-bench`, one file for each kind.
#pragma once

#include <string>
#include <vector>

#include "lab/bench_options.hpp"

namespace trawl::lab {

/// Exact matchers beside each other (bench_exact.cpp), and sets of patterns (bench_multi.cpp).
Experiment exact_experiment();
Experiment multi_experiment();
/// Whether a match ends at each position (bench_ends.cpp): the matchers of lab/matchers/list.txt that take edits,
/// cuShiftOr and WsPASM.
std::vector<Experiment> ends_experiments();
/// The nearest substring (bench_asm.cpp).
Experiment asm_experiment();

/// Whether it is the code or name of an exact matcher.
bool is_exact_matcher(const std::string& word);

}  // namespace trawl::lab
