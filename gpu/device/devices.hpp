// The CUDA devices of this machine. No CUDA header is needed to use this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace trawl::gpu {

struct Device {
  unsigned number = 0;
  std::string name;
  std::uint64_t memory = 0;        // bytes
  std::string compute_capability;  // "9.0"
  unsigned multiprocessors = 0;
  double clock_hz = 0;
};

/// The CUDA devices of this machine by number, whether they can be used or not. Throws Error where there is none.
std::vector<Device> devices();

/// Makes a device the calling thread's and runs a kernel there, which takes a while the first time. Throws Error where
/// that fails: the device is taken or full, or this build has no code for it.
void start(const Device& device);

/// The first `most` devices that start(). Throws Error where there is none.
std::vector<Device> usable_devices(std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace trawl::gpu
