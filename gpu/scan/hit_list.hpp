// The hits that kernels of `trawl scan` find, in device memory. Only gpu/*.cu include this.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/device/device_memory.hpp"
#include "scan/find/wu_manber_program.hpp"

namespace trawl::gpu {

/// What kernels see. `count` also counts the hits beyond `capacity`, which are not kept.
struct HitsView {
  scan::Hit* hits;
  unsigned long long* count;
  unsigned long long capacity;

#ifdef __CUDACC__
  __device__ void add(const scan::Hit& hit) const {
    const unsigned long long slot = atomicAdd(count, 1ull);
    if (slot < capacity) {
      hits[slot] = hit;
    }
  }
  /// Whether there were more hits than there is room for.
  __device__ bool is_full() const { return *static_cast<volatile unsigned long long*>(count) > capacity; }
#endif
};

class HitList {
 public:
  HitList() = default;
  explicit HitList(std::size_t size) : hits_(size) {}

  std::size_t size() const { return hits_.size(); }

  /// An empty list, of which `room` hits are to be used, at most size().
  HitsView start(std::size_t room, const Stream& stream) {
    count_.clear(stream);
    return {hits_.data(), count_.data(), room};
  }
  /// Waits for the kernels, appends the hits and returns true. If there are more than `room`, appends nothing and
  /// returns false.
  bool fetch(std::size_t room, const Stream& stream, std::vector<scan::Hit>& to) const {
    unsigned long long count = 0;
    count_.copy_to(&count, 0, 1, stream);
    stream.synchronize();
    if (count > room) {
      return false;
    }
    const std::size_t before = to.size();
    to.resize(before + count);
    if (count > 0) {
      hits_.copy_to(to.data() + before, 0, count, stream);
      stream.synchronize();
    }
    return true;
  }

 private:
  DeviceBuffer<scan::Hit> hits_;
  DeviceBuffer<unsigned long long> count_{1};
};

}  // namespace trawl::gpu
