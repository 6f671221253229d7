// The CUDA engine as the registry of engines knows it. No CUDA header is needed to use this.
#pragma once

#include "pipeline/engine_choice.hpp"

namespace trawl::gpu {

/// "cuda", for `trawl map` and `trawl scan`.
///
///   pipeline::add_engine(gpu::cuda_engine_entry());
pipeline::EngineEntry cuda_engine_entry();

}  // namespace trawl::gpu
