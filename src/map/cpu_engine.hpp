// The CPU engine of `trawl map`: a seed index in memory, and verification with SIMD.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace trawl::engine {

/// Builds the index, with options.threads threads.
std::unique_ptr<Engine> make_cpu_engine(const sequence::Reference& reference, const map::Options& options);

/// The SIMD instruction set in use.
std::string cpu_engine_description();

}  // namespace trawl::engine
