#include "lab/bench_engine.hpp"

#include <iostream>

#include "base/error.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#endif

namespace trawl::lab {

std::string choose_bench_engine(const std::string& wanted) {
  if (wanted == "cpu") {
    return wanted;
  }
  std::string why;
#ifdef TRAWL_WITH_CUDA
  try {
    std::cerr << "trawl bench: on " << gpu::usable_devices(1).front().name << '\n';
    return "cuda";
  } catch (const Error& error) {
    why = error.what();
  }
#else
  why = "this build has no CUDA code";
#endif
  if (wanted == "cuda") {
    throw Error("--engine cuda cannot be used here: " + why);
  }
  std::cerr << "trawl bench: on the CPU, by the kernels' twins (" << why << ")\n";
  return "cpu";
}

}  // namespace trawl::lab
