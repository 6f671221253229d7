// The kernels from loci to the paths of their alignments; see cuda_end_runs.cu.
#include <cstdint>

#include "gpu/device/device_space.cuh"
#include "gpu/map/record_maker.hpp"

namespace trawl::gpu {

template PathsView DeviceRecordMaker<DeviceSpace>::trace<std::uint32_t>(const std::uint64_t*, std::uint32_t);
template PathsView DeviceRecordMaker<DeviceSpace>::trace<std::uint64_t>(const std::uint64_t*, std::uint32_t);

}  // namespace trawl::gpu
