// Where an experiment runs, and what the GPU engine of this build can do.
#pragma once

#include <string>

namespace trawl::lab {

/// Returns "cuda" or "cpu" for the value of --engine. With "auto" it says on stderr which one it chose and, if it is
/// the CPU, why. Throws Error if "cuda" is not possible.
std::string choose_bench_engine(const std::string& wanted);

}  // namespace trawl::lab
