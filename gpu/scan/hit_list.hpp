// The hits that kernels of `trawl scan` find, in device memory. Only .cu files include this.
//
//   HitList list(1 << 20, ids);
//   if (list.fits(region)) {
//     kernel<<<..>>>(.., list.start(1000, region, stream));      // HitsView::add()
//     list.fetch(stream, hits);                                  // false: there are more than 1000
//   }
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/wu_manber_program.hpp"

namespace trawl::gpu {

/// What kernels see. `count` also counts the hits beyond `capacity`, which are not kept. A hit is one number, by which
/// hits are sorted: the id, then the position in the region, then the distance.
struct HitsView {
  static constexpr unsigned kDistanceBits = 5;

  unsigned long long* hits;
  unsigned long long* count;
  unsigned long long capacity;
  unsigned long long begin;  // of the region
  unsigned id_shift;

#ifdef __CUDACC__
  __device__ void add(unsigned long long end, unsigned id, unsigned distance) const {
    const unsigned long long slot = atomicAdd(count, 1ull);
    if (slot < capacity) {
      hits[slot] = static_cast<unsigned long long>(id) << id_shift | (end - begin) << kDistanceBits | distance;
    }
  }
  /// Whether there were more hits than there is room for.
  __device__ bool is_full() const { return *static_cast<volatile unsigned long long*>(count) > capacity; }
#endif
};

class HitList {
 public:
  HitList() = default;
  /// Ids are below `ids`.
  HitList(std::size_t size, std::uint64_t ids);

  std::size_t size() const { return hits_.size(); }

  /// Whether hits of the region fit in a number.
  bool fits(const scan::Region& region) const { return id_bits_ + id_shift(region) <= 64; }
  /// An empty list for hits in a region, of which `room` hits are to be used, at most size().
  HitsView start(std::size_t room, const scan::Region& region, const Stream& stream);
  /// Waits for the kernels, appends the hits and returns true: sorted, and of hits that differ in their distance only
  /// the smallest. If there are more than `room`, appends nothing and returns false.
  bool fetch(const Stream& stream, std::vector<scan::Hit>& to);
  /// All of this, for a search that has a `stream`, the least room that it needs, and launch(text, region, room).
  template <class Search, class Text>
  bool run(Search& search, const Text& text, const scan::Region& region, std::size_t most, std::vector<scan::Hit>& to) {
    if (!fits(region)) {
      return false;
    }
    search.launch(text, region, std::min<std::size_t>(std::max<std::uint64_t>(most, search.least_room), size()));
    return fetch(search.stream, to);
  }

 private:
  static unsigned id_shift(const scan::Region& region) {
    return HitsView::kDistanceBits + static_cast<unsigned>(std::bit_width(region.end - region.begin));
  }

  unsigned id_bits_ = 0;
  HitsView view_{};
  DeviceBuffer<unsigned long long> hits_;
  DeviceBuffer<unsigned long long> other_;  // where sorting puts them
  DeviceBuffer<unsigned char> scratch_;
  DeviceBuffer<unsigned long long> count_{1};
  PinnedBuffer<unsigned long long> on_host_;
};

}  // namespace trawl::gpu
