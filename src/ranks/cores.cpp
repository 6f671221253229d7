#include "ranks/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace trawl::ranks {

std::vector<std::uint64_t> allowed_cores() {
  std::vector<std::uint64_t> allowed(CPU_SETSIZE, 0);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (std::size_t core = 0; core < allowed.size(); ++core) {
      allowed[core] = CPU_ISSET(core, &set) ? 1 : 0;
    }
  } else {  // more than CPU_SETSIZE
    std::fill_n(allowed.begin(), std::min<std::size_t>(allowed.size(), std::thread::hardware_concurrency()), 1);
  }
  return allowed;
}

unsigned share_of_cores(std::span<const std::uint64_t> mine, std::span<const std::uint64_t> ranks) {
  constexpr double kRounding = 1e-6;  // three thirds of a core are one
  double share = kRounding;
  for (std::size_t core = 0; core < mine.size(); ++core) {
    if (mine[core] != 0) {
      share += 1.0 / static_cast<double>(std::max<std::uint64_t>(1, ranks[core]));
    }
  }
  return std::max(1u, static_cast<unsigned>(share));
}

}  // namespace trawl::ranks
