// Loads the characters of a thread with one load.
#pragma once

#include <cstdint>

namespace trawl::gpu {

/// kCount characters (1, 2, 4, 8 or 16) in registers.
template <unsigned kCount>
struct Characters {
  static constexpr unsigned kWords = (kCount + 3) / 4;
  std::uint32_t words[kWords];

  /// `from` must be a multiple of kCount.
  __device__ void load(const std::uint8_t* from) {
    if constexpr (kCount == 16) {
      const uint4 v = *reinterpret_cast<const uint4*>(from);
      words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
    } else if constexpr (kCount == 8) {
      const uint2 v = *reinterpret_cast<const uint2*>(from);
      words[0] = v.x, words[1] = v.y;
    } else if constexpr (kCount == 4) {
      words[0] = *reinterpret_cast<const std::uint32_t*>(from);
    } else if constexpr (kCount == 2) {
      words[0] = *reinterpret_cast<const std::uint16_t*>(from);
    } else {
      words[0] = *from;
    }
  }
  /// `i` must be known when compiling.
  __device__ unsigned operator[](unsigned i) const { return (words[i / 4] >> (8 * (i % 4))) & 255; }
};

}  // namespace trawl::gpu
