#include "cli/engines.hpp"

#include <filesystem>

#include "run/engine_choice.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/engine_entry.hpp"
#endif

namespace trawl::cli {

namespace {

// A machine with an NVIDIA GPU and its driver has one of these files; the second one under Windows.
bool is_gpu_expected(const WorkOptions& options) {
  return options.names_devices() || std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
}

}  // namespace

void add_engines() {
#ifdef TRAWL_WITH_CUDA
  run::EngineEntry entry = gpu::cuda_engine_entry();
#else
  run::EngineEntry entry{"cuda", [] { return std::string("needs an NVIDIA GPU"); }};
  entry.missing = "this build has no CUDA code";
#endif
  entry.is_expected = is_gpu_expected;
  run::add_engine(entry);
}

}  // namespace trawl::cli
