#include "gpu/device/cuda_error.hpp"
#include "gpu/device/devices.hpp"

namespace trawl::gpu {

namespace {

__global__ void do_nothing() {}

// Why there are no devices. To the runtime a driver that is missing is one too old, which reads like a broken
// installation.
std::string explain(cudaError_t status) {
  int driver = 0;
  const bool is_missing =
      status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
  return is_missing ? "no NVIDIA driver is installed" : cudaGetErrorString(status);
}

}  // namespace

std::vector<Device> devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw Error("no CUDA device can be used: " + (status != cudaSuccess ? explain(status) : "there is none"));
  }
  std::vector<Device> found;
  for (int d = 0; d < count; ++d) {
    Device device;
    device.number = static_cast<unsigned>(d);
    device.name = "unknown device";  // one that does not answer must not hide the others
    cudaDeviceProp properties;
    int kilohertz = 0;
    if (cudaGetDeviceProperties(&properties, d) == cudaSuccess &&
        cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, d) == cudaSuccess) {
      device.name = properties.name;
      device.memory = properties.totalGlobalMem;
      device.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
      device.multiprocessors = static_cast<unsigned>(properties.multiProcessorCount);
      device.clock_hz = kilohertz * 1e3;
    }
    cudaGetLastError();
    found.push_back(device);
  }
  return found;
}

void start(const Device& device) {
  const std::string what = "CUDA device " + std::to_string(device.number) + " (" + device.name + "): ";
  check(cudaSetDevice(static_cast<int>(device.number)), what + "cudaSetDevice");
  do_nothing<<<1, 1>>>();
  check(cudaGetLastError(), what + "launch of a first kernel");
  check(cudaDeviceSynchronize(), what + "a first kernel");
}

std::vector<Device> usable_devices(std::size_t most) {
  std::vector<Device> usable;
  std::string why;
  for (const Device& device : devices()) {
    if (usable.size() == most) {
      break;
    }
    try {
      start(device);
      usable.push_back(device);
    } catch (const CudaError& error) {
      why += (why.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (usable.empty()) {
    throw Error("no CUDA device can be used: " + why);
  }
  return usable;
}

}  // namespace trawl::gpu
