// CUDA errors as exceptions. Only gpu/*.cu include this.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "error.hpp"

namespace trawl::gpu {

/// A CUDA call failed: which one, why, and what to do.
class CudaError : public Error {
 public:
  CudaError(cudaError_t status, const std::string& call)
      : Error(call + ": " + cudaGetErrorString(status) + advice(status)) {}

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

/// After a kernel launch.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), std::string("launch of ") + kernel); }

}  // namespace trawl::gpu
