// DeviceSpace (gpu/device/device_space.cuh) for tests that are no CUDA code.
#pragma once

#include <cstdint>

namespace trawl::tests {

struct Visits {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;  // of the visited, modulo 2^64
};

/// What for_each() visits of the multiples of `step` below `items`.
Visits visit_on_device(std::uint64_t items, std::uint64_t step);

}  // namespace trawl::tests
