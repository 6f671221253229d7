#include "gpu/scan/wu_manber_kernels.cuh"

namespace trawl::gpu {

template void launch_wu_manber<17, RowKinds::mixed>(const WuManberLaunch& launch);

}  // namespace trawl::gpu
