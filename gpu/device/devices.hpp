// The CUDA devices of this machine. No CUDA header is needed to use this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/work_options.hpp"

namespace trawl::gpu {

struct Device {
  unsigned number = 0;
  std::string name;
  std::uint64_t memory = 0;        // bytes
  std::string compute_capability;  // "9.0"
  unsigned multiprocessors = 0;
};

/// The CUDA devices of this machine by number, whether they can be used or not. Throws Error where there is none.
std::vector<Device> devices();

/// Makes a device the calling thread's. Throws Error.
void use(const Device& device);

/// Makes a device the calling thread's and runs a kernel there, which takes a while the first time. Throws Error where
/// that fails: the device is taken or full, or this build has no code for it.
void start(const Device& device);

/// The first `most` devices that start(). Throws Error where there is none.
std::vector<Device> usable_devices(std::size_t most = std::numeric_limits<std::size_t>::max());

/// Those of options.devices. Throws UsageError for a number that no device has, Error where there is no device.
std::vector<Device> named_devices(const engine::WorkOptions& options);

/// Those that the options ask for, by default the first. Throws UsageError, Error.
std::vector<Device> devices_to_use(const engine::WorkOptions& options);

/// Bytes to use of the calling thread's device: options.device_memory, but not more than is free. Some of that stays
/// so, for the run-time system and for other programs.
std::uint64_t usable_memory(const engine::WorkOptions& options);

}  // namespace trawl::gpu
