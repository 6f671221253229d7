#include "cli/engines.hpp"

#include <filesystem>

#include "engine/registry.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/engine_entry.hpp"
#endif

namespace trawl::cli {

namespace {

// A machine with an NVIDIA GPU and its driver has one of these files; the second one under Windows.
bool is_gpu_expected(const engine::WorkOptions& options) {
  return options.names_devices() || std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
}

}  // namespace

void add_engines() {
#ifdef TRAWL_WITH_CUDA
  engine::EngineEntry entry = gpu::cuda_engine_entry();
#else
  engine::EngineEntry entry{"cuda", [] { return std::string("needs an NVIDIA GPU"); }};
  entry.missing = "this build has no CUDA code";
#endif
  entry.is_expected = is_gpu_expected;
  engine::add_engine(entry);
}

}  // namespace trawl::cli
