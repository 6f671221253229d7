// Runs the recurrences of src/match/ on the device for many cases, one thread per case; and DeviceSpace
// (gpu/device/device_space.cuh), for tests that are not CUDA code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trawl::tests {

struct DeviceCase {
  std::string pattern;  // A, C, G, T only; up to 1,024 characters
  std::string text;
};

struct DeviceResult {
  std::vector<int> myers;  // D(j) for j = 1..text.size()
  std::string steps;       // of the best alignment to the leftmost best end, from its end back: D, I, M
};

inline constexpr unsigned kTracedEdits = 8;  // more are not traced

std::vector<DeviceResult> run_on_device(const std::vector<DeviceCase>& cases);

struct Visits {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;  // of the visited items, modulo 2^64
};

/// The multiples of `step` below `items` that for_each() visits.
Visits visit_on_device(std::uint64_t items, std::uint64_t step);

}  // namespace trawl::tests
