// The CPU engine of `trawl map`: a seed index in memory, and verification with SIMD.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "map/options.hpp"

namespace trawl::map {

/// Builds the index, with options.threads threads, unless options.seeds has it.
std::unique_ptr<engine::Engine> make_cpu_engine(const sequence::Reference& reference, const Options& options);

/// The SIMD instruction set in use.
std::string cpu_engine_description();

}  // namespace trawl::map
