// How the work is done, the same for all commands. These options never change what is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trawl {

struct WorkOptions {
  unsigned threads = 1;
  std::vector<unsigned> devices;    // numbers of the CUDA devices to use; empty: the first that can be used
  bool all_devices = false;         // use all devices that can be used, instead of `devices`
  std::uint64_t device_memory = 0;  // how many bytes of each device may be used; 0: all free memory
  // Several processes of one machine share its devices: this is number `process` of `processes`.
  unsigned process = 0;
  unsigned processes = 1;

  /// Whether the user set any option about devices.
  bool names_devices() const { return !devices.empty() || all_devices || device_memory > 0; }
};

/// Those of the devices that this process takes: every processes-th one, or, where there are fewer devices than
/// processes, one that it shares with others. Without `several`, one in any case.
///   WorkOptions options{.process = 1, .processes = 3};
///   share_of_devices(std::vector<int>{0, 1, 2, 3, 4}, true, options) == std::vector<int>{1, 4}
///   share_of_devices(std::vector<int>{0}, true, options) == std::vector<int>{0}
template <class Device>
std::vector<Device> share_of_devices(const std::vector<Device>& all, bool several, const WorkOptions& options) {
  std::vector<Device> mine;
  if (!all.empty()) {
    mine.push_back(all[options.process % all.size()]);
  }
  for (std::size_t d = std::size_t{options.process} + options.processes; several && d < all.size();
       d += options.processes) {
    mine.push_back(all[d]);
  }
  return mine;
}

}  // namespace trawl
