// Literals that are parts of queries: the places where they occur are checked, 32 at a time.
#include "gpu/scan/literal_kernel.cuh"
#include "gpu/scan/warp_list.cuh"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

struct PartPlaces {
  struct Place {
    std::uint64_t end;
    std::uint32_t part;
  };
  static constexpr std::size_t kSharedBytes = sizeof(WarpList<Place>);

  PartsView parts;
  HitsView out;
  WarpList<Place>* places = nullptr;
  unsigned waiting = 0;

  __device__ void start(void* shared) { places = static_cast<WarpList<Place>*>(shared); }
  __device__ void take(const LiteralGroupView& group, const LiteralTextView& text, const scan::Region& region,
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
      Place place{};
      bool is_near = false;
      if (has) {
        place.part = group.ids[id++] - parts.first_id;
        place.end = place_of(parts.places, place.part, end);
        is_near = may_end_in(parts.places, text, place.part, place.end, parts.ends);
      }
      places->add(is_near, place, waiting, [&](const Place& some) { check(text, some); });
    }
  }
  __device__ void finish(const LiteralTextView& text) {
    places->finish(waiting, [&](const Place& some) { check(text, some); });
  }

 private:
  __device__ void check(const LiteralTextView& text, const Place& place) const {
    if (!is_first_part(text, parts.places, place.part, place.end)) {
      return;
    }
    const std::uint32_t query = parts.places.parts[place.part].query;
    check_place(text, parts.places, place.part, place.end, [&](std::uint64_t end, std::uint32_t distance) {
      if (end >= parts.ends.begin && end < parts.ends.end) {
        out.add({end, query, static_cast<std::uint16_t>(distance)});
      }
    });
  }
};

}  // namespace

void launch_parts(const LiteralLaunch& launch, const PartsView& parts) {
  launch_literal_kernel(launch, PartPlaces{parts, launch.out});
}

}  // namespace trawl::gpu
