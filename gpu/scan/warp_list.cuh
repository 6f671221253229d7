// Work that the lanes of a warp find, some more and some less, and do 32 pieces at a time.
//
//   __shared__ WarpList<Pair> list;
//   unsigned waiting = 0;                                  // the same in all lanes
//   list.add(is_found, pair, waiting, work);               // work(pair) in each lane, as soon as there are 32
//   list.finish(waiting, work);                            // the rest
#pragma once

#include "match/warp.hpp"

namespace trawl::gpu {

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
