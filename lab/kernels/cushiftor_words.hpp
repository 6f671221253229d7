// cuShiftOr by word size and kind of segments. Each has its own file, so that they compile in parallel.
#pragma once

#include <vector>

#include "lab/kernels/cushiftor.hpp"

namespace trawl::gpu {

// `settings`: as resolve() gives them, with words of this many bits. `blocks`: for disjoint and overlapping segments.
std::vector<double> run_cushiftor_streamed_32(const DeviceText& text, const CuShiftOrSettings& settings,
                                              DeviceEnds& ends, unsigned repeats);
std::vector<double> run_cushiftor_streamed_64(const DeviceText& text, const CuShiftOrSettings& settings,
                                              DeviceEnds& ends, unsigned repeats);
std::vector<double> run_cushiftor_blocks_32(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                            unsigned repeats);
std::vector<double> run_cushiftor_blocks_64(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                            unsigned repeats);
/// `most_blocks`: for tests. With fewer blocks than fit on the device, each block takes more chunks of the text.
std::vector<double> run_cushiftor_exact(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                        unsigned repeats, unsigned most_blocks = ~0u);

}  // namespace trawl::gpu
