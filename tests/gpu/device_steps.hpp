// DeviceSpace (gpu/device/device_space.cuh) for tests that are not CUDA code.
#pragma once

#include <cstdint>

namespace trawl::tests {

struct Visits {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;  // of the visited items, modulo 2^64
};

/// The multiples of `step` below `items` that for_each() visits.
Visits visit_on_device(std::uint64_t items, std::uint64_t step);

}  // namespace trawl::tests
