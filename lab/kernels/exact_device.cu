#include "gpu/device/device_memory.hpp"
#include "lab/kernels/exact_device.hpp"

namespace trawl::gpu {

namespace {

std::size_t attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(value);
}

}  // namespace

ExactDevice exact_device() {
  return {multiprocessors(), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor), attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
}

unsigned resident_on_one(const ExactDevice& device, const void* kernel, unsigned threads, std::size_t shared) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(device.shared_per_block)),
        "cudaFuncSetAttribute");
  return resident_blocks(kernel, threads, shared) / device.multiprocessors;
}

}  // namespace trawl::gpu
