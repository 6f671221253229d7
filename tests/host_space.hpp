// Runs the steps of gpu/map/ on the host, one item after the other. With it, machines without a GPU can test the steps
// of the CUDA engine. It has the same functions as gpu/device/device_space.cuh. Each of those that can fail on a device
// calls Hook::call() first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "gpu/device/arena.hpp"
#include "match/warp.hpp"
#include "sequence/huge_array.hpp"

namespace trawl::gpu {

struct NoHook {
  static void call() {}
};

template <class Hook>
class HookedSpace {
 public:
  template <class T>
  using Buffer = sequence::HugeArray<T>;
  template <class T>
  using HostBuffer = sequence::HugeArray<T>;

  /// A thread must call it before its first use of this space if another thread used the space before.
  void enter() { Hook::call(); }
  /// Runs step(i) for every i < `items`.
  template <class Step>
  void for_each(std::uint64_t items, const Step& step) {
    Hook::call();
    for (std::uint64_t i = 0; i < items; ++i) {
      step(i);
    }
  }

  /// Runs step(i, warp) for every i < `items`.
  template <class Step>
  void for_each_warp(std::uint64_t items, const Step& step) {
    Hook::call();
    for (std::uint64_t i = 0; i < items; ++i) {
      step(i, match::HostWarp());
    }
  }

  template <class T>
  void zero(T* data, std::uint64_t count) {
    Hook::call();
    std::memset(static_cast<void*>(data), 0, count * sizeof(T));
  }
  /// data[i] becomes the sum of all elements before it.
  void exclusive_sum(std::uint32_t* data, std::uint64_t count, Arena&) {
    Hook::call();
    std::exclusive_scan(data, data + count, data, std::uint32_t{0});
  }
  void inclusive_sum(std::uint64_t* data, std::uint64_t count, Arena&) {
    Hook::call();
    std::inclusive_scan(data, data + count, data);
  }
  void inclusive_max(std::uint64_t* data, std::uint64_t count, Arena&) {
    Hook::call();
    std::inclusive_scan(data, data + count, data, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  }
  /// Sorts by the lowest `bits` bits; the result may be at another place in the arena.
  std::uint64_t* sort(std::uint64_t* keys, std::uint64_t count, unsigned, Arena&) {
    Hook::call();
    std::sort(keys, keys + count);
    return keys;
  }
  std::pair<std::uint64_t*, std::uint32_t*> sort_pairs(std::uint64_t* keys, std::uint32_t* values, std::uint64_t count,
                                                       unsigned, Arena&) {
    Hook::call();
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      pairs[i] = {keys[i], values[i]};
    }
    std::sort(pairs.begin(), pairs.end());
    for (std::uint64_t i = 0; i < count; ++i) {
      keys[i] = pairs[i].first;
      values[i] = pairs[i].second;
    }
    return {keys, values};
  }

  template <class T>
  void copy(T* to, const T* from, std::uint64_t count) {
    Hook::call();
    std::copy_n(from, count, to);
  }
  template <class T>
  void upload(T* to, const T* from, std::uint64_t count) {
    Hook::call();
    std::copy_n(from, count, to);
  }
  /// Waits for the steps before; the data is complete on return.
  template <class T>
  void download(T* to, const T* from, std::uint64_t count) {
    Hook::call();
    std::copy_n(from, count, to);
  }
  template <class T>
  T fetch(const T* from) {
    Hook::call();
    return *from;
  }
  void synchronize() { Hook::call(); }
};

using HostSpace = HookedSpace<NoHook>;

}  // namespace trawl::gpu
