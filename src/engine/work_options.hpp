// How the work is done: the same for every command. It never changes what is written.
#pragma once

#include <cstdint>
#include <vector>

namespace trawl::engine {

struct WorkOptions {
  unsigned threads = 1;
  std::vector<unsigned> devices;    // numbers of the CUDA devices to use; empty: the first that can be used
  bool all_devices = false;         // instead: all that can be used
  std::uint64_t device_memory = 0;  // bytes of each device to be used at most; 0: what is free

  /// Whether the user said anything about devices.
  bool names_devices() const { return !devices.empty() || all_devices || device_memory > 0; }
};

}  // namespace trawl::engine
