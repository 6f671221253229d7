// The CUDA engine for the conformance tests, in three forms: with enough memory; with an index of several parts; with
// so little memory that the parts take turns, batches are split and some reads are left to the CPU.
#include "gpu/engine_entry.hpp"
#include "gpu/map/cuda_engine.hpp"
#include "pipeline/engine_choice.hpp"

using namespace trawl;

namespace trawl::tests {
extern const std::string_view kTested = "cuda";
extern const std::size_t kFewer = 8;
}  // namespace trawl::tests

namespace {

// Positions per part of the index, if there are several parts.
constexpr std::uint64_t kPartPositions = 2200;

std::unique_ptr<engine::Engine> make(const sequence::Reference& reference, map::MapOptions options,
                                     std::uint64_t most_positions) {
  if (options.device_memory == 0) {
    options.device_memory = std::uint64_t{256} << 20;
  }
  return gpu::make_cuda_engine(reference, options, most_positions);
}

std::unique_ptr<engine::Engine> make_small(const sequence::Reference& reference, map::MapOptions options) {
  options.device_memory = std::uint64_t{4} << 20;
  return gpu::make_cuda_engine(reference, options, kPartPositions);
}

const bool added = [] {
  pipeline::EngineEntry entry = gpu::cuda_engine_entry();
  entry.unsuited = [](const map::MapOptions&) { return std::string(); };
  entry.name = "cuda-small";
  entry.make = [](const sequence::Reference& reference, const map::MapOptions& options) {
    return make_small(reference, options);
  };
  pipeline::add_engine(entry);
  entry.name = "cuda-parts";
  entry.make = [](const sequence::Reference& reference, const map::MapOptions& options) {
    return make(reference, options, kPartPositions);
  };
  pipeline::add_engine(entry);
  entry.name = "cuda";
  entry.make = [](const sequence::Reference& reference, const map::MapOptions& options) {
    return make(reference, options, 0);
  };
  pipeline::add_engine(entry);
  return true;
}();

}  // namespace
