// CUDA errors as exceptions. Only .cu files include this.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "base/error.hpp"

namespace trawl::gpu {

/// A CUDA call failed: the message says which call, why, and what to do.
class CudaError : public Error {
 public:
  CudaError(cudaError_t status, const std::string& call) : CudaError(status, call, advice(status)) {}
  /// With special advice for the user, such as "; try again".
  CudaError(cudaError_t status, const std::string& call, const char* advice)
      : Error(call + ": " + cudaGetErrorString(status) + advice) {}

 private:
  static const char* advice(cudaError_t status) {
    switch (status) {
      case cudaErrorMemoryAllocation:
        return "; close other programs on the GPU, or give it less at a time";
      case cudaErrorNoDevice:
      case cudaErrorInsufficientDriver:
        return "; use --engine cpu, or install a driver for this GPU";
      case cudaErrorNoKernelImageForDevice:
        return "; build with CMAKE_CUDA_ARCHITECTURES set to this GPU's";
      default:
        return "; if it happens again, use --engine cpu and report it";
    }
  }
};

inline void check(cudaError_t status, const std::string& call) {
  if (status != cudaSuccess) {
    cudaGetLastError();  // forget it, so that the next call does not report it again
    throw CudaError(status, call);
  }
}

/// Checks a call that allocates host memory.
inline void check_host_memory(cudaError_t status, const std::string& call) {
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw CudaError(status, call,
                    "; this is the host's memory: close other programs on this machine, or use --engine cpu");
  }
  check(status, call);
}

/// Checks a kernel launch. Call it right after the launch.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), std::string("launch of ") + kernel); }

}  // namespace trawl::gpu
