#include "matchers/cpu_driver.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

namespace trawl::matchers::internal {

void for_each_stretch(std::uint64_t size, const CpuWork& how,
                      const std::function<void(std::uint64_t begin, std::uint64_t end)>& work) {
  constexpr std::uint64_t kDefaultStretch = std::uint64_t{1} << 16;
  const std::uint64_t stretch = how.stretch != 0  ? how.stretch
                                : how.all_threads ? kDefaultStretch
                                                  : std::max<std::uint64_t>(1, size);
  const auto run = [&](std::uint64_t s) { work(s * stretch, std::min(size, (s + 1) * stretch)); };
  const std::uint64_t stretches = (size + stretch - 1) / stretch;
  if (how.all_threads) {
    tbb::parallel_for(std::uint64_t{0}, stretches, run);
  } else {
    for (std::uint64_t s = 0; s < stretches; ++s) {
      run(s);
    }
  }
}

}  // namespace trawl::matchers::internal
