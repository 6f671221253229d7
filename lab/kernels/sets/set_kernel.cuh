// The kernel for matchers of sets (lab/matchers/sets/set_matcher.hpp), once for each stage and form of result, and the
// tables of a matcher on the device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "base/stopwatch.hpp"
#include "base/with_constant.hpp"
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#include "lab/kernels/warp_io.cuh"

namespace trawl::gpu {

/// Where a kernel writes. Only what the form needs is set.
struct SetOutView {
  unsigned long long* threads;   // counts: of each thread
  unsigned long long* count;     // counts: of all occurrences
  unsigned long long* patterns;  // of each pattern
};

/// The tables of a matcher on the device, and the kernels that read them.
class DeviceSet : public GpuPreparedSet {
 public:
  GpuSetFound search(const DeviceText& text, const GpuSetWork& work, unsigned repeats) const override;
  std::uint64_t table_bytes() const override { return tables_.size(); }

 protected:
  explicit DeviceSet(const matchers::PatternSet& set) : patterns_(set.size()), longest_(set.longest()) {}
  virtual const void* kernel(SetStage stage, bool of_patterns) const = 0;
  /// Calls `use` with what this stage's kernels take as tables. The first `in_shared` bytes are in shared memory.
  virtual void with_view(SetStage stage, std::uint32_t in_shared, const std::function<void(void* view)>& use) const = 0;

  DeviceBuffer<std::uint8_t> tables_;

 private:
  std::uint32_t patterns_;
  std::uint64_t longest_;
};

namespace internal {

/// Loads an element of a table through the read-only path.
struct ReadOnlyLoad {
  template <class T>
  TRAWL_HOST_DEVICE static T load(const T* from) {
#ifdef __CUDA_ARCH__
    return __ldg(from);
#else
    return *from;
#endif
  }
};

/// Where an array is; all arrays lie after each other.
template <class T>
struct SplitPlace {
  const T* elements;
  std::uint64_t begin;  // bytes of the arrays before it
  std::uint64_t size;   // elements
};

/// An array of a table whose first elements are in shared memory.
template <class T>
class SplitArray {
 public:
  SplitArray() = default;
  explicit SplitArray(const SplitPlace<T>& place) : place_(place) {}

  /// Says that only the first `bytes` of all arrays are there.
  void limit(std::uint32_t bytes) {
    if (bytes > place_.begin) {
      shared_at_ = static_cast<std::uint32_t>(place_.begin);
      in_shared_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(place_.size, (bytes - place_.begin) / sizeof(T)));
    }
  }
  __device__ T operator[](std::uint64_t i) const {
    extern __shared__ uint4 shared_memory[];
    const auto* const shared =
        reinterpret_cast<const T*>(reinterpret_cast<const std::uint8_t*>(shared_memory) + shared_at_);
    return i < in_shared_ ? shared[static_cast<std::uint32_t>(i)] : __ldg(place_.elements + i);
  }

 private:
  SplitPlace<T> place_{};
  std::uint32_t shared_at_ = 0;
  std::uint32_t in_shared_ = 0;  // elements
};

/// The kind of array that a stage's kernels have.
template <SetStage kStage>
struct StageArray {
  template <class T>
  using Array = matchers::TableArray<T, ReadOnlyLoad>;
};
template <>
struct StageArray<SetStage::u> {
  template <class T>
  using Array = matchers::PlainArray<T>;
};
template <>
struct StageArray<SetStage::st> {
  template <class T>
  using Array = SplitArray<T>;
};
template <class Matcher, SetStage kStage>
using StageTables = typename Matcher::template Tables<StageArray<kStage>::template Array>;

/// Threads that work on a tile together.
template <bool kWarp>
struct Team {
  unsigned rank;     // of the calling thread
  unsigned threads;  // in the team
  unsigned number;   // of the team in its block

  __device__ Team()
      : rank(kWarp ? threadIdx.x % 32 : threadIdx.x),
        threads(kWarp ? 32 : blockDim.x),
        number(kWarp ? threadIdx.x / 32 : 0) {}
  __device__ void wait() const {
    if constexpr (kWarp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
};

/// What is found. Collected on the chip: numbers in registers or in shared memory until the end, those of patterns that
/// have no room there when an occurrence is found. Otherwise each occurrence goes to global memory when it is found.
template <bool kPatterns, bool kCollected>
class Results {
 public:
  __device__ Results(const SetOutView& out, const SetPlan& plan, std::uint8_t* shared)
      : out_(out), mine_(out.threads + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x), room_(plan.result_room) {
    if constexpr (kCollected && kPatterns) {
      counts_ = reinterpret_cast<std::uint32_t*>(shared + plan.results_at);
      for (unsigned p = threadIdx.x; p < room_; p += blockDim.x) {
        counts_[p] = 0;
      }
    } else if constexpr (!kCollected && !kPatterns) {
      *mine_ = 0;
    }
    if constexpr (kCollected) {
      __syncthreads();
    }
  }
  __device__ void add(std::uint32_t pattern) {
    if constexpr (!kPatterns) {
      if constexpr (kCollected) {
        ++found_;
      } else {
        ++*mine_;
      }
    } else if (kCollected && room_ > 0) {
      atomicAdd(counts_ + pattern, 1u);
    } else {
      atomicAdd(out_.patterns + pattern, 1ull);
    }
  }
  __device__ void end() {
    if constexpr (!kPatterns) {
      if constexpr (kCollected) {
        *mine_ = found_;
      } else {
        found_ = *mine_;
      }
      for (unsigned step = 16; step > 0; step /= 2) {
        found_ += __shfl_down_sync(match::kAllLanes, found_, step);
      }
      if (threadIdx.x % 32 == 0 && found_ != 0) {
        atomicAdd(out_.count, found_);
      }
    } else if constexpr (kCollected) {
      __syncthreads();
      for (unsigned p = threadIdx.x; p < room_; p += blockDim.x) {
        if (counts_[p] != 0) {
          atomicAdd(out_.patterns + p, static_cast<unsigned long long>(counts_[p]));
        }
      }
    }
  }

 private:
  const SetOutView& out_;
  unsigned long long* mine_;
  std::uint32_t room_;
  std::uint32_t* counts_ = nullptr;
  unsigned long long found_ = 0;
};

/// kPatterns: the number of each pattern, in place of that of each thread.
template <class Matcher, SetStage kStage, bool kPatterns>
__global__ void __launch_bounds__(kMostExactThreads)
    set_kernel(SearchedText text, const uint4* in_global, StageTables<Matcher, kStage> tables, SetPlan plan,
               SetOutView out) {
  extern __shared__ uint4 shared_memory[];
  auto* const shared = reinterpret_cast<std::uint8_t*>(shared_memory);
  using OfTeam = Team<(kStage == SetStage::st)>;
  const OfTeam team;
  if constexpr (kStage == SetStage::st) {
    for (unsigned i = threadIdx.x; i < plan.tables / sizeof(uint4); i += blockDim.x) {
      shared_memory[i] = in_global[i];
    }
    __syncthreads();
  }
  Results<kPatterns, (kStage >= SetStage::cw)> results(out, plan, shared);

  if constexpr (kStage < SetStage::cr) {
    const std::uint64_t begin = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) * plan.stretch;
    if (begin < text.size) {
      const DeviceCharacters<std::uint64_t> characters{text.characters, text.size};
      Matcher::scan(tables, characters, begin, min(begin + plan.stretch, text.size),
                    [&](std::uint32_t pattern, std::uint64_t) { results.add(pattern); });
    }
    __syncwarp();
  } else {
    std::uint8_t* const tile = shared + plan.text_at + team.number * plan.tile_room;
    const std::uint64_t first = (std::uint64_t{blockIdx.x} * (blockDim.x / team.threads) + team.number) * plan.part;
    const std::uint64_t last = min(first + plan.part, text.size);
    for (std::uint64_t ends_begin = first; ends_begin < last; ends_begin += plan.tile()) {
      const std::uint64_t ends_end = min(ends_begin + plan.tile(), last);
      const std::uint64_t text_begin = matchers::first_window(ends_begin, tables.longest) / 16 * 16;
      const DeviceCharacters<std::uint32_t> characters{tile, static_cast<std::uint32_t>(ends_end - text_begin)};
      if constexpr (kStage == SetStage::cr) {
        for (unsigned i = team.rank; i < characters.length; i += team.threads) {
          tile[i] = text.characters[text_begin + i];
        }
      } else {  // bytes after the text may be read; the tile has room for them
        const auto* const from = reinterpret_cast<const uint4*>(text.characters + text_begin);
        for (unsigned i = team.rank; i * sizeof(uint4) < characters.length; i += team.threads) {
          reinterpret_cast<uint4*>(tile)[i] = from[i];
        }
      }
      team.wait();
      const std::uint32_t begin = static_cast<std::uint32_t>(ends_begin - text_begin) + team.rank * plan.stretch;
      if (begin < characters.length) {
        Matcher::scan(tables, characters, begin, min(begin + plan.stretch, characters.length),
                      [&](std::uint32_t pattern, std::uint64_t) { results.add(pattern); });
      }
      team.wait();
    }
  }
  results.end();
}

/// All arrays after each other, each from a multiple of 16 bytes on, so that no element crosses one.
template <class Matcher>
class MatcherTables : public DeviceSet {
 public:
  explicit MatcherTables(const matchers::PatternSet& set) : DeviceSet(set) {
    Stopwatch watch;
    matchers::HostTables<Matcher> host;
    Matcher::prepare(set, host);
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> begins;
    const auto give_room = [&](const auto& array) {
      begins.push_back(bytes);
      bytes += (array.size() * sizeof(array[0]) + sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
    };
    std::apply([&](const auto&... array) { (give_room(array), ...); }, host.arrays());
    tables_ = DeviceBuffer<std::uint8_t>(bytes);
    const Stream stream;
    auto begin = begins.begin();
    const auto copy = [&](const auto& array) {
      tables_.copy_from(reinterpret_cast<const std::uint8_t*>(array.data()), *begin++, array.size() * sizeof(array[0]),
                        stream);
    };
    std::apply([&](const auto&... array) { (copy(array), ...); }, host.arrays());

    // Each view asks for the arrays in their order.
    const auto next = [&]<class T>(const std::vector<T>&) {
      return reinterpret_cast<const T*>(tables_.data() + *begin++);
    };
    begin = begins.begin();
    plain_ = matchers::place_tables<Matcher, StageArray<SetStage::u>::template Array>(host, next);
    begin = begins.begin();
    read_only_ = matchers::place_tables<Matcher, StageArray<SetStage::tc>::template Array>(host, next);
    begin = begins.begin();
    split_ = matchers::place_tables<Matcher, SplitArray>(host, [&](const auto& array) {
      const std::uint64_t shared_at = *begin;
      return SplitPlace{next(array), shared_at, array.size()};
    });
    stream.synchronize();
    watch.lap(prepare_seconds);
  }

 private:
  const void* kernel(SetStage stage, bool of_patterns) const override {
    return with_constant<std::size(kSetStages) - 1>(static_cast<unsigned>(stage), [&](auto s) {
      constexpr auto kStage = static_cast<SetStage>(decltype(s)::value);
      return of_patterns ? reinterpret_cast<const void*>(&set_kernel<Matcher, kStage, true>)
                         : reinterpret_cast<const void*>(&set_kernel<Matcher, kStage, false>);
    });
  }

  void with_view(SetStage stage, std::uint32_t in_shared, const std::function<void(void* view)>& use) const override {
    if (stage == SetStage::st) {
      auto view = split_;
      std::apply([&](auto&... array) { (array.limit(in_shared), ...); }, view.arrays());
      use(&view);
    } else if (stage == SetStage::u) {
      auto view = plain_;
      use(&view);
    } else {
      auto view = read_only_;
      use(&view);
    }
  }

  StageTables<Matcher, SetStage::u> plain_;
  StageTables<Matcher, SetStage::tc> read_only_;
  StageTables<Matcher, SetStage::st> split_;
};

template <class Matcher>
constexpr GpuSetMatcher gpu_set_matcher() {
  return {&Matcher::kFacts, [](const matchers::PatternSet& set) -> std::unique_ptr<GpuPreparedSet> {
            return std::make_unique<MatcherTables<Matcher>>(set);
          }};
}

}  // namespace internal

}  // namespace trawl::gpu
