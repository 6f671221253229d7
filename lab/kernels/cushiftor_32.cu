#include "lab/kernels/cushiftor_words.cuh"

namespace trawl::gpu {

template std::vector<double> run_cushiftor_words<std::uint32_t>(const DeviceText&, const CuShiftOrSettings&,
                                                                DeviceEnds&, unsigned);

}  // namespace trawl::gpu
