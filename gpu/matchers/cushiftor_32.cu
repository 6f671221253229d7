#include "gpu/matchers/cushiftor.cuh"
#include "gpu/matchers/cushiftor_words.hpp"

namespace trawl::gpu {

std::vector<double> run_cushiftor_32(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                     unsigned repeats) {
  return run_cushiftor_words<std::uint32_t>(text, settings, ends, repeats);
}

}  // namespace trawl::gpu
