// The engines of this build.
#pragma once

namespace trawl::cli {

/// Adds CUDA's to the registry (engine/registry.hpp), or that this build lacks it. Once, before any other thread runs.
void add_engines();

}  // namespace trawl::cli
