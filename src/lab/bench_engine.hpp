// Where an experiment runs, and what the GPU of this build offers.
#pragma once

#include <string>

namespace trawl::lab {

/// "cuda" or "cpu" for what --engine says; with "auto" tells on stderr which and, for the CPU, why. Throws Error where
/// "cuda" cannot be.
std::string choose_bench_engine(const std::string& wanted);

}  // namespace trawl::lab
