#include "gpu/scan/wu_manber_kernels.cuh"

namespace trawl::gpu {

template void launch_wu_manber<1, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<2, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<2, RowKinds::mismatches>(const WuManberLaunch& launch);
template void launch_wu_manber<2, RowKinds::mixed>(const WuManberLaunch& launch);
template void launch_wu_manber<3, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<3, RowKinds::mismatches>(const WuManberLaunch& launch);
template void launch_wu_manber<3, RowKinds::mixed>(const WuManberLaunch& launch);
template void launch_wu_manber<4, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<4, RowKinds::mismatches>(const WuManberLaunch& launch);
template void launch_wu_manber<4, RowKinds::mixed>(const WuManberLaunch& launch);
template void launch_wu_manber<5, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<5, RowKinds::mismatches>(const WuManberLaunch& launch);
template void launch_wu_manber<5, RowKinds::mixed>(const WuManberLaunch& launch);
template void launch_wu_manber<6, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<6, RowKinds::mismatches>(const WuManberLaunch& launch);
template void launch_wu_manber<6, RowKinds::mixed>(const WuManberLaunch& launch);
template void launch_wu_manber<7, RowKinds::edits>(const WuManberLaunch& launch);
template void launch_wu_manber<7, RowKinds::mismatches>(const WuManberLaunch& launch);
template void launch_wu_manber<7, RowKinds::mixed>(const WuManberLaunch& launch);

}  // namespace trawl::gpu
