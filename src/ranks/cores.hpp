// How many cores a rank may use. Launchers may bind ranks to cores, each to its own or several to the same; or to none.
//
//   std::vector<std::uint64_t> mine = allowed_cores();              // {1, 1, 0, 0}: of four cores, the first two
//   std::vector<std::uint64_t> ranks = ...;                         // {2, 2, 1, 1}: how many ranks may use each core
//   unsigned cores = share_of_cores(mine, ranks);                   // 2 / 2 + ... = 1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trawl::ranks {

/// For each hardware thread of the machine: 1 if this process may run on it, otherwise 0.
std::vector<std::uint64_t> allowed_cores();

/// Of each core that is allowed (`mine`), the share of one of the ranks that may use it (`ranks`). At least 1.
unsigned share_of_cores(std::span<const std::uint64_t> mine, std::span<const std::uint64_t> ranks);

}  // namespace trawl::ranks
