// Runs the kernel for exact matchers (exact_kernel.cuh), whose type is not known here. Only .cu files include this.
#pragma once

#include <cstddef>
#include <memory>

#include "lab/kernels/device_search.hpp"

namespace trawl::gpu {

struct ExactKernels {
  const void* constant;
  const void* shared;
  const void* global;
  void* constant_table;  // device address of the constant memory that the first kernel reads
};

/// `table`: its used bytes. Only one search at a time may have its table in constant memory.
std::unique_ptr<DeviceSearch> exact_search(const ExactKernels& kernels, const void* table, std::size_t table_bytes,
                                           std::size_t m, const GpuWork& work);

}  // namespace trawl::gpu
