// The CUDA engine for the conformance tests: with memory enough, and with so little that the index comes in parts by
// turns, batches are split and some reads are left to the CPU.
#include "gpu/cuda_engine.hpp"

using namespace trawl;

namespace {

std::unique_ptr<engine::Engine> make(const sequence::Reference& reference, map::Options options) {
  if (options.device_memory == 0) {
    options.device_memory = std::uint64_t{256} << 20;
  }
  return gpu::make_cuda_engine(reference, options, 0);
}

std::unique_ptr<engine::Engine> make_small(const sequence::Reference& reference, map::Options options) {
  options.device_memory = std::uint64_t{4} << 20;
  return gpu::make_cuda_engine(reference, options, 2200);
}

const bool added = [] {
  engine::EngineEntry entry = gpu::cuda_engine_entry();
  entry.unsuited = [](const map::Options&) { return std::string(); };
  entry.name = "cuda-small";
  entry.make = [](const sequence::Reference& reference, const map::Options& options) {
    return make_small(reference, options);
  };
  engine::add_engine(entry);
  entry.name = "cuda";
  entry.make = [](const sequence::Reference& reference, const map::Options& options) {
    return make(reference, options);
  };
  engine::add_engine(entry);
  return true;
}();

}  // namespace
