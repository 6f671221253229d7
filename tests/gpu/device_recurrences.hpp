// Runs the recurrences of src/match/ on the device for many cases, one thread per case.
#pragma once

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

}  // namespace trawl::tests
