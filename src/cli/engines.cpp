#include "cli/engines.hpp"

#include "engine/registry.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/engine_entry.hpp"
#endif

namespace trawl::cli {

void add_engines() {
#ifdef TRAWL_WITH_CUDA
  engine::add_engine(gpu::cuda_engine_entry());
#else
  engine::EngineEntry entry{"cuda", [] { return std::string("needs an NVIDIA GPU"); }};
  entry.missing = "this build has no CUDA code";
  engine::add_engine(entry);
#endif
}

}  // namespace trawl::cli
