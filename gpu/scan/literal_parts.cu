// Literals that are parts of queries: the places where they occur are written to a list, then checked. In repeats, some
// words of the text have thousands of places. So a warp takes a quarter of its words at a time, and the list is shared
// out among all warps of the device.
#include "gpu/scan/literal_kernel.cuh"
#include "gpu/scan/warp_work.cuh"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

// Adds the ends around a place.
__device__ inline void check_part(const scan::TextView& text, const PartsView& parts, const PartPlace& place,
                                  const HitsView& out) {
  const std::uint32_t query = parts.places.parts[place.part].query;
  scan::check_place(text, parts.places, place.part, place.end, [&](std::uint64_t end, std::uint32_t distance) {
    if (end >= parts.ends.begin && end < parts.ends.end) {
      out.add(end, query, distance);
    }
  });
}

struct PartPlaces {
  static constexpr std::size_t kSharedBytes = sizeof(WarpList<PartPlace>);
  static constexpr bool kSplitWords = true;

  PartsView parts;
  HitsView out;
  WarpList<PartPlace>* places = nullptr;
  unsigned waiting = 0;

  __device__ void start(void* shared) { places = static_cast<WarpList<PartPlace>*>(shared); }
  __device__ void take(const LiteralGroupView& group, const scan::TextView& text, const scan::Region& region,
                       GramEntries& entries) {
    std::uint32_t id = 0, last_id = 0;
    std::uint64_t end = 0;
    // In each round, each lane has one part that occurs.
    while (true) {
      if (std::uint32_t index = 0; id == last_id && entries.next(group, text, region, index, end)) {
        id = group.literals[index].ids;
        last_id = group.literals[index + 1].ids;
      }
      const bool has = id < last_id;
      if (__any_sync(match::kAllLanes, has) == 0) {
        return;
      }
      PartPlace place{};
      bool is_near = false;
      if (has) {
        place.part = group.ids[id++] - parts.first_id;
        place.end = scan::place_of(parts.places, place.part, end);
        is_near = scan::may_end_in(parts.places, text, place.part, place.end, parts.ends);
      }
      places->add(is_near, place, waiting, [&](const PartPlace& some) { keep(text, some); });
    }
  }
  __device__ void finish(const scan::TextView& text) {
    places->finish(waiting, [&](const PartPlace& some) { keep(text, some); });
  }

 private:
  __device__ void keep(const scan::TextView& text, const PartPlace& place) const {
    // One atomic operation for all lanes that are here.
    const unsigned lanes = __activemask();
    const unsigned lane = threadIdx.x % match::kWarpLanes;
    const int first = __ffs(static_cast<int>(lanes)) - 1;
    unsigned long long slot = 0;
    if (static_cast<int>(lane) == first) {
      slot = atomicAdd(parts.count, static_cast<unsigned long long>(__popc(lanes)));
    }
    slot = __shfl_sync(lanes, slot, first) + __popc(lanes & ((1u << lane) - 1));
    if (slot < parts.capacity) {
      parts.list[slot] = place;
    } else if (is_first_part(text, parts.places, place.part, place.end)) {
      check_part(text, parts, place, out);
    }
  }
};

constexpr unsigned kCheckWarps = 8;  // of a block
constexpr unsigned kCheckThreads = kCheckWarps * match::kWarpLanes;

// Each lane takes a place. Those that are left to another part are dropped before the lanes check the rest.
__global__ void __launch_bounds__(kCheckThreads) check_kernel(scan::TextView text, PartsView parts, HitsView out) {
  __shared__ WarpList<PartPlace> lists[kCheckWarps];
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  WarpList<PartPlace>& list = lists[threadIdx.x / match::kWarpLanes];
  unsigned waiting = 0;
  const auto check = [&](const PartPlace& place) { check_part(text, parts, place, out); };
  const unsigned long long count = *parts.count < parts.capacity ? *parts.count : parts.capacity;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * kCheckThreads;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * kCheckThreads + threadIdx.x;
       i - lane < count; i += stride) {
    const PartPlace place = parts.list[i < count ? i : i - lane];
    list.add(i < count && scan::is_first_part(text, parts.places, place.part, place.end), place, waiting, check);
    if (__any_sync(match::kAllLanes, out.is_full()) != 0) {
      return;
    }
  }
  list.finish(waiting, check);
}

}  // namespace

void launch_parts(const LiteralLaunch& launch, const PartsView& parts) {
  launch_literal_kernel(launch, PartPlaces{parts, launch.out});
}

void launch_place_check(const scan::TextView& text, const PartsView& parts, const HitsView& out, const Stream& stream) {
  const unsigned resident = resident_blocks(reinterpret_cast<const void*>(check_kernel), kCheckThreads);
  check_kernel<<<resident, kCheckThreads, 0, stream>>>(text, parts, out);
  check_launch("check_kernel");
}

}  // namespace trawl::gpu
