// A warp (32 lanes that run in step) as a type. On the device a Value<T> is each lane's own T, and shuffles move values
// between lanes. On the host it is an array of 32 values. So tests without a GPU run the same code as the GPU.
//
//   const HostWarp warp;
//   const auto sums = warp.map([](unsigned lane, unsigned v) { return lane + v; }, warp.spread(2u));   // in every lane
//   sums[31] == 33
//   warp.shift_up(sums, 1, 0u)[31] == 32               // lane i gets lane i - 1's; lane 0 gets 0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"

namespace trawl::match {

inline constexpr unsigned kWarpLanes = 32;
/// For the functions of a device's warp that take a mask: all lanes take part.
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

class HostWarp {
 public:
  template <class T>
  using Value = std::array<T, kWarpLanes>;

  /// Calls f(lane, v...) in every lane.
  template <class F, class... T>
  auto map(F&& f, const std::array<T, kWarpLanes>&... values) const {
    using Result = decltype(f(0u, values[0]...));
    Value<Result> out{};
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      out[lane] = f(lane, values[lane]...);
    }
    return out;
  }

  /// The same value in every lane.
  template <class T>
  Value<T> spread(const T& v) const {
    Value<T> out;
    out.fill(v);
    return out;
  }

  /// Lane i gets the value of lane i - delta; the first delta lanes get `fill`.
  template <class T>
  Value<T> shift_up(const Value<T>& v, unsigned delta, const T& fill) const {
    Value<T> out;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      out[lane] = lane < delta ? fill : v[lane - delta];
    }
    return out;
  }

  /// Every lane gets the value of lane `from`.
  template <class T>
  Value<T> broadcast(const Value<T>& v, unsigned from) const {
    return spread(v[from]);
  }

  /// Lane i gets the value of lane from[i], or `fill` if there is no such lane.
  template <class T>
  Value<T> gather(const Value<T>& v, const Value<unsigned>& from, const T& fill) const {
    Value<T> out;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      out[lane] = from[lane] < kWarpLanes ? v[from[lane]] : fill;
    }
    return out;
  }

  /// Whether the value of at least one lane is not 0.
  template <class T>
  bool any(const Value<T>& v) const {
    bool found = false;
    for (const T& lane : v) {
      found = found || lane != T{};
    }
    return found;
  }
};

#ifdef __CUDACC__

/// The warp that calls. All 32 lanes must call together. T must consist of 32-bit words.
class DeviceWarp {
 public:
  template <class T>
  using Value = T;

  __device__ static unsigned lane() { return threadIdx.x % kWarpLanes; }

  template <class F, class... T>
  __device__ auto map(F&& f, const T&... values) const {
    return f(lane(), values...);
  }

  template <class T>
  __device__ T spread(const T& v) const {
    return v;
  }

  template <class T>
  __device__ T shift_up(const T& v, unsigned delta, const T& fill) const {
    const T moved = words(v, [&](unsigned word) { return __shfl_up_sync(kAllLanes, word, delta); });
    return lane() < delta ? fill : moved;
  }

  template <class T>
  __device__ T broadcast(const T& v, unsigned from) const {
    return words(v, [&](unsigned word) { return __shfl_sync(kAllLanes, word, from); });
  }

  template <class T>
  __device__ T gather(const T& v, unsigned from, const T& fill) const {
    const T moved = words(v, [&](unsigned word) { return __shfl_sync(kAllLanes, word, from); });
    return from < kWarpLanes ? moved : fill;
  }

  template <class T>
  __device__ bool any(const T& v) const {
    return __any_sync(kAllLanes, v != T{});
  }

 private:
  template <class T, class Move>
  __device__ static T words(const T& v, Move&& move) {
    static_assert(sizeof(T) % sizeof(unsigned) == 0, "a value that moves between lanes is made of 32-bit words");
    union Cast {
      T value;
      unsigned words[sizeof(T) / sizeof(unsigned)];
      __device__ Cast() {}
    };
    Cast in, out;
    in.value = v;
#pragma unroll
    for (std::size_t i = 0; i < sizeof(T) / sizeof(unsigned); ++i) {
      out.words[i] = move(in.words[i]);
    }
    return out.value;
  }
};

#endif  // __CUDACC__

}  // namespace trawl::match
