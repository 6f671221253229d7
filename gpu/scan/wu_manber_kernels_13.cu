#include "gpu/scan/wu_manber_kernels.cuh"

namespace trawl::gpu {

template void launch_wu_manber<9, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<9, RowKinds::mixed>(const WuManberLaunch& launch);
template void launch_wu_manber<13, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<13, RowKinds::mixed>(const WuManberLaunch& launch);

}  // namespace trawl::gpu
