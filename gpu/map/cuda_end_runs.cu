// The kernels from reads to end runs. The others are in cuda_traces.cu and cuda_engine.cu: three files, so that none
// takes long to compile.
#include <cstdint>

#include "gpu/device/device_space.cuh"
#include "gpu/map/end_run_finder.hpp"

namespace trawl::gpu {

template EndRuns EndRunFinder<DeviceSpace>::find_with<std::uint32_t>(const ReadsView&, const EndLimit&);
template EndRuns EndRunFinder<DeviceSpace>::find_with<std::uint64_t>(const ReadsView&, const EndLimit&);

}  // namespace trawl::gpu
