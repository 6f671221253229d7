// The engines of this build.
#pragma once

namespace trawl::cli {

/// Adds the CUDA engine to the registry (run/engine_choice.hpp), or the message that this build has no CUDA. Call it
/// once, before any other thread runs.
void add_engines();

}  // namespace trawl::cli
