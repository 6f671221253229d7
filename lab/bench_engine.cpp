#include "lab/bench_engine.hpp"

#include <iostream>

#include "run/engine_choice.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#endif

namespace trawl::lab {

std::string choose_bench_engine(const std::string& wanted) {
  run::EngineChoice choice(wanted, {});
  choice.warm_up();
  if (wanted == "cpu") {
    return wanted;
  }
  if (choice.name() == "cpu") {
    std::cerr << "trawl-bench: on the CPU" << (choice.why().empty() ? "" : " (" + choice.why() + ")") << '\n';
  }
#ifdef TRAWL_WITH_CUDA
  if (choice.name() == "cuda") {
    std::cerr << "trawl-bench: on " << gpu::usable_devices(1).front().name << '\n';
  }
#endif
  return std::string(choice.name());
}

}  // namespace trawl::lab
