// The CUDA engine as the registry of engines knows it. No CUDA header is needed to use this.
#pragma once

#include "engine/registry.hpp"

namespace trawl::gpu {

/// "cuda", for `trawl map` and `trawl scan`.
///
///   engine::add_engine(gpu::cuda_engine_entry());
engine::EngineEntry cuda_engine_entry();

}  // namespace trawl::gpu
