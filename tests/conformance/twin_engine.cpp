// The steps of the CUDA engine, run on the host as engines of this test program. The conformance tests check them like
// all engines.
// "twin-parts": the index has several parts, all in memory at once.
// "twin-small": little memory. The bases stay with the host, the parts of the index take turns, batches are split, and
// some reads are left to the CPU.
#include "gpu/map/batch_engine.hpp"
#include "pipeline/engine_choice.hpp"
#include "tests/host_space.hpp"

using namespace trawl;

namespace trawl::tests {
extern const std::string_view kTested = "";
extern const std::size_t kFewer = 1;
}  // namespace trawl::tests

namespace {

using TwinEngine = gpu::BatchEngine<gpu::HostSpace>;

// Of the device. With more, making it takes most of the time of a test under a sanitizer.
constexpr std::uint64_t kMemory = std::uint64_t{128} << 20;

std::unique_ptr<engine::Engine> make(const sequence::Reference& reference, const map::MapOptions& options,
                                     const gpu::MemoryPlan& plan) {
  return std::make_unique<TwinEngine>(
      reference, options,
      std::vector<TwinEngine::Device>{{"the host", [] { return std::make_unique<gpu::HostSpace>(); }, plan}});
}

std::unique_ptr<engine::Engine> make_twin(const sequence::Reference& reference, const map::MapOptions& options) {
  const std::uint64_t memory = options.device_memory > 0 ? options.device_memory : kMemory;
  return make(reference, options, gpu::MemoryPlan::make<gpu::HostSpace>(reference, options, memory));
}

std::unique_ptr<engine::Engine> make_twin_of_parts(const sequence::Reference& reference,
                                                   const map::MapOptions& options) {
  return make(reference, options,
              gpu::MemoryPlan::make<gpu::HostSpace>(reference, options, kMemory, 2 * gpu::IndexPlan::kOverlap));
}

std::unique_ptr<engine::Engine> make_small_twin(const sequence::Reference& reference, const map::MapOptions& options) {
  gpu::MemoryPlan plan;
  if (options.search != map::SearchMethod::scan) {
    plan.index = gpu::IndexPlan::make(reference.size(), reference.bases(), 3 * gpu::IndexPlan::table_bytes(8),
                                      2 * gpu::IndexPlan::kOverlap);
  }
  plan.bases_on_host = true;
  plan.slot_bytes = std::uint64_t{256} << 10;
  return make(reference, options, plan);
}

const bool added = [] {
  pipeline::add_engine(
      {"twin-small", [] { return std::string("the CUDA engine's steps, little memory"); }, make_small_twin});
  pipeline::add_engine(
      {"twin-parts", [] { return std::string("the CUDA engine's steps, index in parts"); }, make_twin_of_parts});
  pipeline::add_engine({"twin", [] { return std::string("the CUDA engine's steps, on the host"); }, make_twin});
  return true;
}();

}  // namespace
