// Bit operations on words, for host and device.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace trawl {

TRAWL_HOST_DEVICE inline unsigned popcount(std::uint64_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popcll(word));
#elif defined(__POPCNT__) || !defined(__x86_64__)
  return static_cast<unsigned>(__builtin_popcountll(word));
#else  // the compiler would call a function
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  return static_cast<unsigned>(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
#endif
}

TRAWL_HOST_DEVICE inline unsigned popcount(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(word));
#else
  return popcount(std::uint64_t{word});
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

/// Bit i of the lower half becomes bit 2 i.
constexpr std::uint64_t spread_bits(std::uint64_t bits) {
  bits &= 0x00000000FFFFFFFFu;
  bits = (bits | bits << 16) & 0x0000FFFF0000FFFFu;
  bits = (bits | bits << 8) & 0x00FF00FF00FF00FFu;
  bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0Fu;
  bits = (bits | bits << 2) & 0x3333333333333333u;
  return (bits | bits << 1) & 0x5555555555555555u;
}

/// Bit i becomes bit 63 - i.
TRAWL_HOST_DEVICE inline std::uint64_t reverse_bits(std::uint64_t word) {
#ifdef __CUDA_ARCH__
  return __brevll(word);
#else
  word = ((word >> 1) & 0x5555555555555555u) | ((word & 0x5555555555555555u) << 1);
  word = ((word >> 2) & 0x3333333333333333u) | ((word & 0x3333333333333333u) << 2);
  word = ((word >> 4) & 0x0F0F0F0F0F0F0F0Fu) | ((word & 0x0F0F0F0F0F0F0F0Fu) << 4);
  return __builtin_bswap64(word);
#endif
}

}  // namespace trawl
