// cuShiftOr by word size and kind of segments, a file each, so that they compile side by side.
#pragma once

#include <vector>

#include "gpu/matchers/cushiftor.hpp"

namespace trawl::gpu {

// `settings` as resolve() gives them, with words of so many bits; blocks: disjoint or overlapping segments.
std::vector<double> run_cushiftor_streamed_32(const DeviceText& text, const CuShiftOrSettings& settings,
                                              DeviceEnds& ends, unsigned repeats);
std::vector<double> run_cushiftor_streamed_64(const DeviceText& text, const CuShiftOrSettings& settings,
                                              DeviceEnds& ends, unsigned repeats);
std::vector<double> run_cushiftor_blocks_32(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                            unsigned repeats);
std::vector<double> run_cushiftor_blocks_64(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                            unsigned repeats);
/// `most_blocks`: for tests; fewer blocks than fit take more chunks of the text each.
std::vector<double> run_cushiftor_exact(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                        unsigned repeats, unsigned most_blocks = ~0u);

}  // namespace trawl::gpu
