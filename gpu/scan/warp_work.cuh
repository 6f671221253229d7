// How the lanes of a warp share out the work that they find.
#pragma once

#include <cstdint>

#include "match/warp.hpp"

namespace trawl::gpu {

/// What the lanes of a warp share out: the bits that are set in the lanes' words.
///
///   __shared__ BitQueue<16> queue;                              // for words of 16 bits
///   const unsigned all = queue.fill(word);                      // in all lanes
///   for (unsigned i = lane; i < all; i += match::kWarpLanes) {
///     queue.lane(i), queue.bit(i)                               // whose word it was, and which bit
///   }
///   __syncwarp();                                               // before the next fill()
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

/// Work that the lanes of a warp find, some more and some less, and do 32 pieces at a time.
///
///   __shared__ WarpList<Pair> list;
///   unsigned waiting = 0;                                  // the same in all lanes
///   list.add(is_found, pair, waiting, work);               // work(pair) in each lane, as soon as there are 32
///   list.finish(waiting, work);                            // the rest
template <class T>
struct WarpList {
  T items[2 * match::kWarpLanes];

  /// Adds the item of each lane that has one. All lanes must call it.
  template <class Work>
  __device__ void add(bool has, const T& item, unsigned& waiting, const Work& work) {
    const unsigned lane = threadIdx.x % match::kWarpLanes;
    const unsigned lanes = __ballot_sync(match::kAllLanes, has);
    if (has) {
      items[waiting + __popc(lanes & ((1u << lane) - 1))] = item;
    }
    waiting += __popc(lanes);
    __syncwarp();
    if (waiting >= match::kWarpLanes) {
      work(items[lane]);
      waiting -= match::kWarpLanes;
      __syncwarp();
      if (lane < waiting) {
        items[lane] = items[match::kWarpLanes + lane];
      }
      __syncwarp();
    }
  }
  template <class Work>
  __device__ void finish(unsigned& waiting, const Work& work) {
    if (threadIdx.x % match::kWarpLanes < waiting) {
      work(items[threadIdx.x % match::kWarpLanes]);
    }
    waiting = 0;
    __syncwarp();
  }
};

}  // namespace trawl::gpu
