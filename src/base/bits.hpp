// Bit operations on words, for host and device.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace trawl {

TRAWL_HOST_DEVICE inline unsigned popcount(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(word));
#else
  return static_cast<unsigned>(__builtin_popcount(word));
#endif
}

TRAWL_HOST_DEVICE inline unsigned popcount(std::uint64_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popcll(word));
#else
  return static_cast<unsigned>(__builtin_popcountll(word));
#endif
}

/// The index of the lowest bit that is 1. `word` must not be 0.
TRAWL_HOST_DEVICE inline unsigned lowest_bit(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__ffs(static_cast<int>(word)) - 1);
#else
  return static_cast<unsigned>(__builtin_ctz(word));
#endif
}

TRAWL_HOST_DEVICE inline unsigned lowest_bit(std::uint64_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__ffsll(static_cast<long long>(word)) - 1);
#else
  return static_cast<unsigned>(__builtin_ctzll(word));
#endif
}

}  // namespace trawl
