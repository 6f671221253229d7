// The kernels from reads to end runs; the others are in cuda_engine.cu. Two files, so that neither takes long to
// compile.
#include <cstdint>

#include "gpu/device/device_space.cuh"
#include "gpu/map/end_run_finder.hpp"

namespace trawl::gpu {

template EndRuns EndRunFinder<DeviceSpace>::find<std::uint32_t>(const ReadsView&, Arena&, engine::StageSeconds&);
template EndRuns EndRunFinder<DeviceSpace>::find<std::uint64_t>(const ReadsView&, Arena&, engine::StageSeconds&);

}  // namespace trawl::gpu
