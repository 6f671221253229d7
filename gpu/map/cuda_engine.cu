#include "engine/engine.hpp"
#include "gpu/device/device_space.cuh"
#include "gpu/device/devices.hpp"
#include "gpu/map/batch_engine.hpp"
#include "gpu/map/cuda_engine.hpp"

namespace trawl::gpu {

namespace {

using CudaEngine = BatchEngine<DeviceSpace>;

// Some of what is free stays so, for the run-time system and for other programs.
std::uint64_t usable_memory(const map::Options& options) {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::uint64_t most = free / 16 * 15;
  return options.device_memory > 0 ? std::min<std::uint64_t>(options.device_memory, most) : most;
}

// Throws UsageError for a number that no device has, Error where there is no device.
std::vector<Device> named_devices(const map::Options& options) {
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

std::vector<Device> devices_to_use(const map::Options& options) {
  if (!options.devices.empty()) {
    return named_devices(options);
  }
  return options.all_devices ? usable_devices() : usable_devices(1);
}

std::string description() {
  std::string names;
  try {
    for (const Device& device : devices()) {
      names += (names.empty() ? "" : ", ") + device.name;
    }
  } catch (const Error&) {
    return "needs an NVIDIA GPU";
  }
  return names;
}

// Creates the contexts, which takes a while.
void warm_up(const map::Options& options) {
  if (why_not_on_device(options).empty()) {
    for (const Device& device : devices_to_use(options)) {
      start(device);
    }
  }
}

}  // namespace

engine::EngineEntry cuda_engine_entry() {
  return {"cuda",
          description,
          [](const sequence::Reference& reference, const map::Options& options) {
            return make_cuda_engine(reference, options, 0);
          },
          why_not_on_device,
          [](const map::Options& options) { named_devices(options); },
          warm_up};
}

std::unique_ptr<engine::Engine> make_cuda_engine(const sequence::Reference& reference, const map::Options& options,
                                                 std::uint64_t most_positions) {
  std::vector<CudaEngine::Device> used;
  if (why_not_on_device(options).empty()) {
    for (const Device& device : devices_to_use(options)) {
      start(device);
      const int number = static_cast<int>(device.number);
      used.push_back({device.name, [number] { return std::make_unique<DeviceSpace>(number); },
                      MemoryPlan::make<DeviceSpace>(reference, options, usable_memory(options), most_positions)});
    }
  }
  return std::make_unique<CudaEngine>(reference, options, std::move(used));
}

}  // namespace trawl::gpu
