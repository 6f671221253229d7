#include "engine/engine.hpp"
#include "gpu/cuda_engine.hpp"
#include "gpu/device_space.cuh"
#include "gpu/device_text.hpp"
#include "gpu/map/batch_engine.hpp"

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

std::vector<unsigned> device_numbers(const map::Options& options, std::size_t found) {
  std::vector<unsigned> numbers = options.devices;
  for (unsigned d = 0; numbers.empty() || (options.all_devices && d < found); ++d) {
    numbers.push_back(d);
  }
  return numbers;
}

// Creates the contexts, which takes a while.
void warm_up(const map::Options& options) {
  std::string why;
  const std::size_t found = why_not_on_device(options).empty() ? devices(why).size() : 0;
  for (const unsigned d : device_numbers(options, found)) {
    if (d < found && cudaSetDevice(static_cast<int>(d)) == cudaSuccess) {
      cudaFree(nullptr);
    }
  }
  cudaGetLastError();
}

}  // namespace

engine::EngineInfo cuda_engine_info() {
  engine::EngineInfo info{"cuda", "", false, ""};
  const auto found = devices(info.reason);
  for (const Device& device : found) {
    info.description += (info.description.empty() ? "" : ", ") + device.name;
  }
  info.usable = !found.empty();
  if (!info.usable) {
    info.description = "needs an NVIDIA GPU";
    info.reason = "no CUDA device can be used: " + info.reason;
  }
  return info;
}

std::unique_ptr<engine::Engine> make_cuda_engine(const sequence::Reference& reference, const map::Options& options,
                                                 std::uint64_t most_positions) {
  std::vector<CudaEngine::Device> used;
  if (why_not_on_device(options).empty()) {
    std::string why;
    const auto found = devices(why);
    for (const unsigned d : device_numbers(options, found.size())) {
      if (d >= found.size()) {
        throw Error("--devices " + std::to_string(d) + ": there is no such CUDA device; trawl info lists them");
      }
      const int number = static_cast<int>(d);
      check(cudaSetDevice(number), "cudaSetDevice");
      used.push_back({found[d].name, [number] { return std::make_unique<DeviceSpace>(number); },
                      MemoryPlan::make<DeviceSpace>(reference, options, usable_memory(options), most_positions)});
    }
  }
  return std::make_unique<CudaEngine>(reference, options, std::move(used));
}

void add_cuda_engine() {
  engine::add_engine({cuda_engine_info,
                      [](const sequence::Reference& reference, const map::Options& options) {
                        return make_cuda_engine(reference, options, 0);
                      },
                      why_not_on_device, warm_up});
}

}  // namespace trawl::gpu
