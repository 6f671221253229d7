// The CUDA engine of `trawl map`. No CUDA header is needed to use this.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::gpu {

/// Uses options.devices, with options.device_memory of each. `most_positions`: reference positions per part of the
/// index, for tests; 0: as many as fit. Throws UsageError, Error.
std::unique_ptr<engine::Engine> make_cuda_engine(const sequence::Reference& reference, const map::MapOptions& options,
                                                 std::uint64_t most_positions);

}  // namespace trawl::gpu
