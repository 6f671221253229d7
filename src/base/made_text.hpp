// Random text that host and device make alike, position by position. Not for users: tests and the laboratory
// search texts larger than a file, which are made on the device.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace trawl {

/// 64 bits that look random, from a number (the last step of splitmix64, Steele, Lea and Flood 2014).
TRAWL_HOST_DEVICE constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Letter j of the text made from `seed` over an alphabet of `sigma` letters (splitmix64).
TRAWL_HOST_DEVICE constexpr unsigned char made_letter(const char* alphabet, unsigned sigma, std::uint64_t seed,
                                                      std::uint64_t j) {
  const std::uint64_t z = mixed(seed + (j + 1) * 0x9E3779B97F4A7C15u);
  return static_cast<unsigned char>(alphabet[static_cast<unsigned>(((z >> 32) * sigma) >> 32)]);
}

}  // namespace trawl
