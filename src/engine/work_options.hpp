// How the work is done, the same for all commands. These options never change what is written.
#pragma once

#include <cstdint>
#include <vector>

namespace trawl::engine {

struct WorkOptions {
  unsigned threads = 1;
  std::vector<unsigned> devices;    // numbers of the CUDA devices to use; empty: the first that can be used
  bool all_devices = false;         // use all devices that can be used instead
  std::uint64_t device_memory = 0;  // how many bytes of each device may be used; 0: all free memory

  /// Whether the user set any option about devices.
  bool names_devices() const { return !devices.empty() || all_devices || device_memory > 0; }
};

}  // namespace trawl::engine
