// The CPU engine: a seed index in memory, verification by SIMD.
#pragma once

#include <memory>

#include "engine/engine.hpp"

namespace trawl::engine {

/// Builds the index with options.threads threads.
std::unique_ptr<Engine> make_cpu_engine(const sequence::Reference& reference, const map::Options& options);

/// "cpu", and the SIMD instructions in use.
EngineInfo cpu_engine_info();

}  // namespace trawl::engine
