// The CUDA devices of this machine. No CUDA header is needed to use this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/work_options.hpp"

namespace trawl::gpu {

struct Device {
  unsigned number = 0;
  std::string name;
  std::uint64_t memory = 0;        // bytes
  std::string compute_capability;  // "9.0"
  unsigned multiprocessors = 0;
};

/// The CUDA devices of this machine by number, usable or not. Throws Error if there is none.
std::vector<Device> devices();

/// Selects a device for the calling thread. Throws Error.
void use(const Device& device);

/// Selects a device for the calling thread and runs a kernel on it. The first time takes a while. Throws Error if this
/// fails: the device is used by others or full, or this build has no code for it.
void start(const Device& device);

/// The first `most` devices for which start() works. Throws Error if there is none.
std::vector<Device> usable_devices(std::size_t most = std::numeric_limits<std::size_t>::max());

/// The devices of options.devices. Throws UsageError if a device with such a number does not exist, Error if there is
/// no device.
std::vector<Device> named_devices(const WorkOptions& options);

/// The devices that the options ask for; by default the first one, or this process's share (base/work_options.hpp).
/// Throws UsageError, Error.
std::vector<Device> devices_to_use(const WorkOptions& options);

/// How many bytes of the calling thread's device to use: options.device_memory, but not more than is free. A part of
/// the free memory is left for the CUDA runtime and for other programs.
std::uint64_t usable_memory(const WorkOptions& options);

}  // namespace trawl::gpu
