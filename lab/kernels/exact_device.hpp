// What the current device has for the kernels whose plans are made from an ExactDevice. Only .cu files include this.
#pragma once

#include <cstddef>

#include "lab/kernels/exact_plan.hpp"

namespace trawl::gpu {

/// The current device.
ExactDevice exact_device();

/// The number of blocks of `kernel` that run at the same time on a multiprocessor; lets it use all shared memory.
unsigned resident_on_one(const ExactDevice& device, const void* kernel, unsigned threads, std::size_t shared);

}  // namespace trawl::gpu
