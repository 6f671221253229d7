// What the lanes of a warp share out: the bits that are set in the lanes' words.
//
//   __shared__ BitQueue<16> queue;                              // for words of 16 bits
//   const unsigned all = queue.fill(word);                      // in all lanes
//   for (unsigned i = lane; i < all; i += match::kWarpLanes) {
//     queue.lane(i), queue.bit(i)                               // whose word it was, and which bit
//   }
//   __syncwarp();                                               // before the next fill()
#pragma once

#include <cstdint>

#include "match/warp.hpp"

namespace trawl::gpu {

template <unsigned kBits>
struct BitQueue {
  std::uint16_t items[match::kWarpLanes * kBits];

  /// Replaces the contents by the set bits of the lanes' words, at most kBits each; returns their number in the whole
  /// warp. All lanes must call it.
  __device__ unsigned fill(std::uint32_t word) {
    const unsigned lane = threadIdx.x % match::kWarpLanes;
    unsigned before = __popc(word);
    for (unsigned step = 1; step < match::kWarpLanes; step *= 2) {
      const unsigned other = __shfl_up_sync(match::kAllLanes, before, step);
      before += lane >= step ? other : 0;
    }
    const unsigned all = __shfl_sync(match::kAllLanes, before, match::kWarpLanes - 1);
    before -= __popc(word);
    for (; word != 0; word &= word - 1) {
      items[before++] = static_cast<std::uint16_t>(lane * kBits + __ffs(static_cast<int>(word)) - 1);
    }
    __syncwarp();
    return all;
  }
  __device__ unsigned lane(unsigned i) const { return items[i] / kBits; }
  __device__ unsigned bit(unsigned i) const { return items[i] % kBits; }
};

}  // namespace trawl::gpu
