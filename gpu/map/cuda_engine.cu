#include "gpu/device/device_space.cuh"
#include "gpu/device/devices.hpp"
#include "gpu/map/batch_engine.hpp"
#include "gpu/map/cuda_engine.hpp"

namespace trawl::gpu {

// cuda_end_runs.cu and cuda_traces.cu have them.
extern template EndRuns EndRunFinder<DeviceSpace>::find_with<std::uint32_t>(const ReadsView&, const EndLimit&);
extern template EndRuns EndRunFinder<DeviceSpace>::find_with<std::uint64_t>(const ReadsView&, const EndLimit&);
extern template PathsView DeviceRecordMaker<DeviceSpace>::trace<std::uint32_t>(const std::uint64_t*, std::uint32_t);
extern template PathsView DeviceRecordMaker<DeviceSpace>::trace<std::uint64_t>(const std::uint64_t*, std::uint32_t);

namespace {

using CudaEngine = BatchEngine<DeviceSpace>;

}  // namespace

std::unique_ptr<engine::Engine> make_cuda_engine(const sequence::Reference& reference, const map::MapOptions& options,
                                                 std::uint64_t most_positions) {
  std::vector<CudaEngine::Device> used;
  for (const Device& device : devices_to_use(options)) {
    start(device);
    const int number = static_cast<int>(device.number);
    used.push_back({device.name, [number] { return std::make_unique<DeviceSpace>(number); },
                    MemoryPlan::make<DeviceSpace>(reference, options, usable_memory(options), most_positions)});
  }
  return std::make_unique<CudaEngine>(reference, options, std::move(used));
}

}  // namespace trawl::gpu
