#include <string>

#include "base/error.hpp"
#include "gpu/matchers/gpu_matchers.hpp"

namespace trawl::gpu {

std::vector<double> run_matcher(std::string_view name, const DeviceText& text, const MatcherSettings& settings,
                                DeviceEnds& ends, unsigned repeats) {
  for (const GpuMatcher& matcher : gpu_matchers()) {
    if (matcher.facts->name == name) {
      return matcher.run(text, settings, ends, repeats);
    }
  }
  throw UsageError("there is no matcher '" + std::string(name) + "'");
}

}  // namespace trawl::gpu
