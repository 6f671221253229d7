#include <algorithm>
#include <future>

#include "gpu/device/cuda_error.hpp"
#include "gpu/device/devices.hpp"

namespace trawl::gpu {

namespace {

__global__ void do_nothing() {}

// Why there are no devices. If no driver is installed, the CUDA runtime reports a driver that is too old. Users would
// take this for a broken installation; it is a machine without a GPU.
std::string explain(cudaError_t status) {
  int driver = 0;
  const bool is_missing =
      status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
  return is_missing ? "no NVIDIA driver here"
                    : std::string("no CUDA device can be used: ") + cudaGetErrorString(status);
}

// The name of a device, for messages.
std::string name_of(const Device& device) {
  return "CUDA device " + std::to_string(device.number) + " (" + device.name + "): ";
}

}  // namespace

std::vector<Device> devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw Error(status != cudaSuccess ? explain(status) : "no CUDA device can be used: there is none");
  }
  std::vector<Device> found;
  for (int d = 0; d < count; ++d) {
    Device device;
    device.number = static_cast<unsigned>(d);
    device.name = "unknown device";  // a device that does not answer must not hide the others
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, d) == cudaSuccess) {
      device.name = properties.name;
      device.memory = properties.totalGlobalMem;
      device.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
      device.multiprocessors = static_cast<unsigned>(properties.multiProcessorCount);
    }
    cudaGetLastError();
    found.push_back(device);
  }
  return found;
}

void use(const Device& device) {
  check(cudaSetDevice(static_cast<int>(device.number)), name_of(device) + "cudaSetDevice");
}

void start(const Device& device) {
  const std::string what = name_of(device);
  use(device);
  do_nothing<<<1, 1>>>();
  check(cudaGetLastError(), what + "launch of a first kernel");
  check(cudaDeviceSynchronize(), what + "a first kernel");
}

std::vector<Device> usable_devices(std::size_t most) {
  std::vector<Device> usable;
  std::string why;
  const std::vector<Device> found = devices();
  // It takes a while to start a device, so those that are wanted start together.
  for (std::size_t first = 0; first < found.size() && usable.size() < most;) {
    const std::size_t end = first + std::min(found.size() - first, most - usable.size());
    std::vector<std::future<void>> started;
    for (std::size_t d = first; d < end; ++d) {
      started.push_back(std::async(std::launch::async, [&found, d] { start(found[d]); }));
    }
    for (std::size_t d = first; d < end; ++d) {
      try {
        started[d - first].get();
        usable.push_back(found[d]);
      } catch (const CudaError& error) {
        why += (why.empty() ? "" : "; ") + std::string(error.what());
      }
    }
    first = end;
  }
  if (usable.empty()) {
    throw Error("no CUDA device can be used: " + why);
  }
  return usable;
}

std::vector<Device> named_devices(const WorkOptions& options) {
  const auto found = devices();
  std::vector<Device> named;
  for (const unsigned d : options.devices) {
    if (d >= found.size()) {
      throw UsageError("--devices " + std::to_string(d) + ": there is no such CUDA device; trawl info lists them");
    }
    named.push_back(found[d]);
  }
  return named;
}

std::vector<Device> devices_to_use(const WorkOptions& options) {
  if (options.processes > 1) {
    // The devices of the other processes are not started here: that takes time and some of their memory.
    const bool names_any = !options.devices.empty();
    const auto mine =
        share_of_devices(names_any ? named_devices(options) : devices(), names_any || options.all_devices, options);
    for (const Device& device : mine) {
      start(device);
    }
    return mine;
  }
  if (!options.devices.empty()) {
    return named_devices(options);
  }
  return options.all_devices ? usable_devices() : usable_devices(1);
}

std::uint64_t usable_memory(const WorkOptions& options) {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::uint64_t most = free / 16 * 15;
  return options.device_memory > 0 ? std::min<std::uint64_t>(options.device_memory, most) : most;
}

}  // namespace trawl::gpu
