// The CUDA engine of `trawl map`. No CUDA header is needed to use this.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::gpu {

/// Makes "cuda" known to the registry of engines (engine/engine.hpp), preferred to the CPU's.
void add_cuda_engine();

/// "cuda", the devices, and whether they can be used.
engine::EngineInfo cuda_engine_info();

/// On options.devices, with options.device_memory of each. `most_positions`: reference positions a part of the index,
/// for tests; 0: as many as fit. Throws Error, CudaError.
std::unique_ptr<engine::Engine> make_cuda_engine(const sequence::Reference& reference, const map::Options& options,
                                                 std::uint64_t most_positions);

}  // namespace trawl::gpu
