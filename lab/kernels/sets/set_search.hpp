// Runs the kernels for matchers of sets (set_kernel.cuh), whose types are not known here. Only .cu files include this.
#pragma once

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/sets/gpu_set_matchers.hpp"

namespace trawl::gpu {

enum class SetForm;

/// Tables on the device, and the kernels that read them.
class DeviceSetTables {
 public:
  virtual ~DeviceSetTables() = default;
  virtual const void* kernel(SetStage stage, SetForm form) const = 0;
  /// Calls `use` with what this stage's kernels take as tables. The first `in_shared` bytes are in shared memory.
  virtual void with_view(SetStage stage, std::uint32_t in_shared, const std::function<void(void* view)>& use) const = 0;
  virtual const uint4* in_global() const = 0;
  virtual std::uint64_t bytes() const = 0;
};

/// As GpuPreparedSet::search(), for `patterns` patterns of at most `longest` characters.
GpuSetFound search_set(const DeviceSetTables& tables, std::uint32_t patterns, std::uint64_t longest,
                       const DeviceText& text, const GpuSetWork& work, unsigned repeats);

}  // namespace trawl::gpu
