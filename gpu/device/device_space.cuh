// Runs the steps of gpu/map/ on a CUDA device, one thread per item, in a stream of its own. tests/host_space.hpp
// does the same on the host. Only .cu files include this.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <utility>

#include "gpu/device/arena.hpp"
#include "gpu/device/device_memory.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace detail {

inline constexpr unsigned kStepThreads = 256;
// Items per launch: a grid must have fewer than 2^31 blocks.
inline constexpr std::uint64_t kItemsALaunch = std::uint64_t{1} << 30;

template <class Step>
__global__ void __launch_bounds__(kStepThreads) run_step(std::uint64_t first, std::uint64_t items, const Step step) {
  const std::uint64_t i = first + std::uint64_t{blockIdx.x} * kStepThreads + threadIdx.x;
  if (i < items) {
    step(i);
  }
}

template <class Step>
__global__ void __launch_bounds__(kStepThreads)
    run_warp_step(std::uint64_t first, std::uint64_t items, const Step step) {
  const std::uint64_t i = first + (std::uint64_t{blockIdx.x} * kStepThreads + threadIdx.x) / match::kWarpLanes;
  if (i < items) {
    step(i, match::DeviceWarp());
  }
}

struct Larger {
  __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a > b ? a : b; }
};

}  // namespace detail

class DeviceSpace {
 public:
  template <class T>
  using Buffer = DeviceBuffer<T>;
  /// Host memory. Steps may use it too, at the speed of the bus.
  template <class T>
  using HostBuffer = PinnedBuffer<T>;

  explicit DeviceSpace(int device) : device_(device) {}

  /// Must be called before each batch: its thread may be another one, and if the batch before failed, its last copies
  /// may still use the memory of this one.
  void enter() {
    check(cudaSetDevice(device_.number), "cudaSetDevice");
    stream_.synchronize();
  }

  /// Runs step(i) for every i < `items`.
  template <class Step>
  void for_each(std::uint64_t items, const Step& step) {
    for (std::uint64_t first = 0; first < items; first += detail::kItemsALaunch) {
      detail::run_step<<<blocks(std::min(detail::kItemsALaunch, items - first)), detail::kStepThreads, 0, stream_>>>(
          first, items, step);
      check_launch(__PRETTY_FUNCTION__);
    }
  }
  /// Runs step(i, warp) for every i < `items`, with a warp for each of them.
  template <class Step>
  void for_each_warp(std::uint64_t items, const Step& step) {
    constexpr std::uint64_t kItems = detail::kItemsALaunch / match::kWarpLanes;
    for (std::uint64_t first = 0; first < items; first += kItems) {
      const std::uint64_t threads = match::kWarpLanes * std::min(kItems, items - first);
      detail::run_warp_step<<<blocks(threads), detail::kStepThreads, 0, stream_>>>(first, items, step);
      check_launch(__PRETTY_FUNCTION__);
    }
  }

  template <class T>
  void zero(T* data, std::uint64_t count) {
    check(cudaMemsetAsync(data, 0, count * sizeof(T), stream_), "clearing device memory");
  }
  template <class T>
  void copy(T* to, const T* from, std::uint64_t count) {
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, stream_), "copy on the device");
  }

  /// data[i] becomes the sum of all elements before it.
  void exclusive_sum(std::uint32_t* data, std::uint64_t count, Arena& arena) {
    with_scratch(arena, "prefix sum", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, data, data, count, stream_);
    });
  }
  void inclusive_sum(std::uint64_t* data, std::uint64_t count, Arena& arena) {
    with_scratch(arena, "prefix sum", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(scratch, bytes, data, data, count, stream_);
    });
  }
  void inclusive_max(std::uint64_t* data, std::uint64_t count, Arena& arena) {
    with_scratch(arena, "prefix maximum", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(scratch, bytes, data, data, detail::Larger(), count, stream_);
    });
  }
  /// Sorts by the lowest `bits` bits; the result may be at another place in the arena.
  std::uint64_t* sort(std::uint64_t* keys, std::uint64_t count, unsigned bits, Arena& arena) {
    cub::DoubleBuffer<std::uint64_t> buffers(keys, arena.take<std::uint64_t>(count));
    with_scratch(arena, "sort", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, buffers, count, 0, static_cast<int>(bits), stream_);
    });
    return buffers.Current();
  }
  std::pair<std::uint64_t*, std::uint32_t*> sort_pairs(std::uint64_t* keys, std::uint32_t* values, std::uint64_t count,
                                                       unsigned bits, Arena& arena) {
    cub::DoubleBuffer<std::uint64_t> key_buffers(keys, arena.take<std::uint64_t>(count));
    cub::DoubleBuffer<std::uint32_t> value_buffers(values, arena.take<std::uint32_t>(count));
    with_scratch(arena, "sort", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers, count, 0,
                                             static_cast<int>(bits), stream_);
    });
    return {key_buffers.Current(), value_buffers.Current()};
  }

  /// The contents of `from` may have changed on return.
  template <class T>
  void upload(T* to, const T* from, std::uint64_t count) {
    const char* const source = reinterpret_cast<const char*>(from);
    transfer(count * sizeof(T), [&](char* staging, std::uint64_t first, std::uint64_t bytes) {
      std::memcpy(staging, source + first, bytes);
      check(cudaMemcpyAsync(reinterpret_cast<char*>(to) + first, staging, bytes, cudaMemcpyHostToDevice, stream_),
            "copy to the device");
    });
  }
  /// Waits for the steps before; the data is complete on return.
  template <class T>
  void download(T* to, const T* from, std::uint64_t count) {
    const std::uint64_t size = count * sizeof(T);
    char* const target = reinterpret_cast<char*>(to);
    const auto arrive = [&](std::uint64_t first) {
      const std::uint64_t piece = first / kPiece;
      staged_[piece % 2].synchronize();
      std::memcpy(target + first, staging_.data() + piece % 2 * kPiece, std::min(kPiece, size - first));
    };
    for (std::uint64_t first = 0; first < size; first += kPiece) {
      const std::uint64_t half = first / kPiece % 2;
      staged_[half].synchronize();
      check(cudaMemcpyAsync(staging_.data() + half * kPiece, reinterpret_cast<const char*>(from) + first,
                            std::min(kPiece, size - first), cudaMemcpyDeviceToHost, stream_),
            "copy from the device");
      staged_[half].record(stream_);
      if (first > 0) {
        arrive(first - kPiece);
      }
    }
    if (size > 0) {
      arrive((size - 1) / kPiece * kPiece);
    }
  }
  template <class T>
  T fetch(const T* from) {
    T value;
    download(&value, from, 1);
    return value;
  }
  void synchronize() { stream_.synchronize(); }

 private:
  // Selects its device for the calling thread before the members after it are constructed.
  struct DeviceNumber {
    int number;
    explicit DeviceNumber(int device) : number(device) { check(cudaSetDevice(device), "cudaSetDevice"); }
  };

  static unsigned blocks(std::uint64_t threads) {
    return static_cast<unsigned>((threads + detail::kStepThreads - 1) / detail::kStepThreads);
  }

  static constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;

  // Calls put(staging, first, bytes) for parts of `size` bytes. The two halves of the staging memory are used in turns.
  template <class Put>
  void transfer(std::uint64_t size, const Put& put) {
    for (std::uint64_t first = 0; first < size; first += kPiece) {
      next_half_ = 1 - next_half_;
      staged_[next_half_].synchronize();
      put(staging_.data() + next_half_ * kPiece, first, std::min(kPiece, size - first));
      staged_[next_half_].record(stream_);
    }
  }

  // Each CUB function is called twice: to get the size of its scratch memory, and to do the work.
  template <class Call>
  void with_scratch(Arena& arena, const char* what, const Call& call) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes), what);
    const std::size_t mark = arena.mark();
    char* const scratch = arena.take<char>(std::max<std::size_t>(bytes, 1));
    check(call(scratch, bytes), what);
    arena.release(mark);
  }

  DeviceNumber device_;
  Stream stream_;
  PinnedBuffer<char> staging_{2 * kPiece};
  CudaEvent staged_[2];
  unsigned next_half_ = 0;
};

}  // namespace trawl::gpu
