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

/// What is kept of an occurrence. Each form has kernels of its own.
enum class SetForm { counts, patterns, positions };
inline constexpr unsigned kSetForms = 3;

/// Where a kernel writes. Only what the form needs is set.
struct SetOutView {
  unsigned long long* threads;   // counts: of each thread
  unsigned long long* count;     // counts, positions: of all occurrences
  unsigned long long* patterns;  // of each pattern
  SetMatch* list;                // positions
  std::uint64_t room;            // of the list
};

/// Tables on the device, and the kernels that read them.
class DeviceSetTables {
 public:
  virtual ~DeviceSetTables() = default;
  virtual const void* kernel(SetStage stage, SetForm form) const = 0;
  /// Calls `use` with what this stage's kernels take as tables. The first `in_shared` bytes are in shared memory.
  virtual void with_view(SetStage stage, std::uint32_t in_shared, const std::function<void(void* view)>& use) const = 0;
  virtual const uint4* in_global() const = 0;
  virtual std::uint64_t bytes() const = 0;
};

/// As GpuPreparedSet::search(), for `patterns` patterns of at most `longest` characters.
GpuSetFound search_set(const DeviceSetTables& tables, std::uint32_t patterns, std::uint64_t longest,
                       const DeviceText& text, const GpuSetWork& work, unsigned repeats);

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
  using Array = matchers::TableArray<T>;
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

__device__ inline void write_match(const SetOutView& out, std::uint64_t at, std::uint64_t end, std::uint32_t pattern) {
  static_assert(sizeof(SetMatch) == sizeof(uint4) && offsetof(SetMatch, end) == 0 && offsetof(SetMatch, pattern) == 8);
  if (at < out.room) {
    reinterpret_cast<uint4*>(out.list)[at] =
        make_uint4(static_cast<unsigned>(end), static_cast<unsigned>(end >> 32), pattern, 0);
  }
}

/// Writes each occurrence to global memory when it is found.
template <SetForm kForm>
class ScatteredResults {
 public:
  template <class Team>
  __device__ ScatteredResults(const SetOutView& out, const SetPlan&, std::uint8_t*, const Team&)
      : out_(out), mine_(out.threads + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) {
    if constexpr (kForm == SetForm::counts) {
      *mine_ = 0;
    }
  }
  /// An occurrence that ends at `j` of a tile that begins at `begin`.
  __device__ void add(std::uint32_t pattern, std::uint64_t begin, std::uint64_t j) {
    if constexpr (kForm == SetForm::counts) {
      ++*mine_;
    } else if constexpr (kForm == SetForm::patterns) {
      atomicAdd(out_.patterns + pattern, 1ull);
    } else {
      write_match(out_, atomicAdd(out_.count, 1ull), begin + j, pattern);
    }
  }
  template <class Team>
  __device__ void end_tile(const Team&, std::uint64_t) {}
  __device__ void end() {
    if constexpr (kForm == SetForm::counts) {
      add_to_total(out_, *mine_);
    }
  }

  __device__ static void add_to_total(const SetOutView& out, unsigned long long found) {
    for (unsigned step = 16; step > 0; step /= 2) {
      found += __shfl_down_sync(match::kAllLanes, found, step);
    }
    if (threadIdx.x % 32 == 0 && found != 0) {
      atomicAdd(out.count, found);
    }
  }

 private:
  const SetOutView& out_;
  unsigned long long* mine_;
};

/// Adds 1 to `count` for each of the threads of a warp that call this together, with one access; returns what each of
/// them would have found there.
template <class T>
__device__ T next_place(T* count) {
  const unsigned together = __activemask();
  const unsigned before = __popc(together & ((1u << threadIdx.x % 32) - 1));
  const int first = __ffs(static_cast<int>(together)) - 1;
  T place = 0;
  if (before == 0) {
    place = atomicAdd(count, static_cast<T>(__popc(together)));
  }
  return __shfl_sync(together, place, first) + before;
}

/// Collects the results on the chip: numbers in registers or in shared memory until the end, positions until the end of
/// the tile. What has no room there is written when it is found.
template <SetForm kForm>
class CollectedResults {
 public:
  template <class Team>
  __device__ CollectedResults(const SetOutView& out, const SetPlan& plan, std::uint8_t* shared, const Team& team)
      : out_(out), room_(plan.result_room) {
    if constexpr (kForm == SetForm::patterns) {
      counts_ = reinterpret_cast<std::uint32_t*>(shared + plan.results_at);
      for (unsigned p = threadIdx.x; p < room_; p += blockDim.x) {
        counts_[p] = 0;
      }
    } else if constexpr (kForm == SetForm::positions) {
      std::uint8_t* const mine = shared + plan.results_at + position_bytes(room_) * team.number;
      waiting_ = reinterpret_cast<Waiting*>(mine);
      matches_ = reinterpret_cast<uint2*>(mine + sizeof(Waiting));
      if (team.rank == 0) {
        waiting_->found = 0;
      }
    }
    __syncthreads();
  }
  __device__ void add(std::uint32_t pattern, std::uint64_t begin, std::uint64_t j) {
    if constexpr (kForm == SetForm::counts) {
      ++found_;
    } else if constexpr (kForm == SetForm::patterns) {
      if (room_ > 0) {
        atomicAdd(counts_ + pattern, 1u);
      } else {
        atomicAdd(out_.patterns + pattern, 1ull);
      }
    } else {
      const std::uint32_t at = next_place(&waiting_->found);
      if (at < room_) {
        matches_[at] = make_uint2(static_cast<std::uint32_t>(j), pattern);
      } else {
        write_match(out_, next_place(out_.count), begin + j, pattern);
      }
    }
  }
  /// After team.wait(); the team must wait before the next add().
  template <class Team>
  __device__ void end_tile(const Team& team, std::uint64_t begin) {
    if constexpr (kForm == SetForm::positions) {
      const std::uint32_t found = min(waiting_->found, room_);
      if (team.rank == 0 && found != 0) {
        waiting_->at = atomicAdd(out_.count, static_cast<unsigned long long>(found));
      }
      team.wait();
      for (std::uint32_t i = team.rank; i < found; i += team.threads) {
        write_match(out_, waiting_->at + i, begin + matches_[i].x, matches_[i].y);
      }
      if (team.rank == 0) {
        waiting_->found = 0;
      }
    }
  }
  __device__ void end() {
    if constexpr (kForm == SetForm::counts) {
      out_.threads[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] = found_;
      ScatteredResults<kForm>::add_to_total(out_, found_);
    } else if constexpr (kForm == SetForm::patterns) {
      __syncthreads();
      for (unsigned p = threadIdx.x; p < room_; p += blockDim.x) {
        if (counts_[p] != 0) {
          atomicAdd(out_.patterns + p, static_cast<unsigned long long>(counts_[p]));
        }
      }
    }
  }

 private:
  // The positions of a tile that wait in shared memory.
  struct Waiting {
    unsigned long long at;  // where they go to
    std::uint32_t found;
  };
  static_assert(sizeof(Waiting) == 16);

  const SetOutView& out_;
  std::uint32_t room_;
  Waiting* waiting_ = nullptr;
  std::uint32_t* counts_ = nullptr;
  uint2* matches_ = nullptr;
  unsigned long long found_ = 0;
};

template <class Matcher, SetStage kStage, SetForm kForm>
__global__ void __launch_bounds__(kMostExactThreads)
    set_kernel(SearchedText text, const uint4* in_global, StageTables<Matcher, kStage> tables, SetPlan plan,
               SetOutView out) {
  extern __shared__ uint4 shared_memory[];
  auto* const shared = reinterpret_cast<std::uint8_t*>(shared_memory);
  using OfTeam = Team<(kStage == SetStage::st)>;
  using Results = std::conditional_t<(kStage >= SetStage::cw), CollectedResults<kForm>, ScatteredResults<kForm>>;
  const OfTeam team;
  if constexpr (kStage == SetStage::st) {
    for (unsigned i = threadIdx.x; i < plan.tables / sizeof(uint4); i += blockDim.x) {
      shared_memory[i] = in_global[i];
    }
    __syncthreads();
  }
  Results results(out, plan, shared, team);

  if constexpr (kStage < SetStage::cr) {
    const std::uint64_t begin = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) * plan.stretch;
    if (begin < text.size) {
      const DeviceCharacters<std::uint64_t> characters{text.characters, text.size};
      Matcher::scan(tables, characters, begin, min(begin + plan.stretch, text.size),
                    [&](std::uint32_t pattern, std::uint64_t j) { results.add(pattern, 0, j); });
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
                      [&](std::uint32_t pattern, std::uint64_t j) { results.add(pattern, text_begin, j); });
      }
      team.wait();
      results.end_tile(team, text_begin);
    }
  }
  results.end();
}

/// All arrays after each other, each from a multiple of 16 bytes on, so that no element crosses one.
template <class Matcher>
class MatcherTables : public DeviceSetTables {
 public:
  explicit MatcherTables(const matchers::HostTables<Matcher>& host) {
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> begins;
    const auto give_room = [&](const auto& array) {
      begins.push_back(bytes);
      bytes += (array.size() * sizeof(array[0]) + sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
    };
    std::apply([&](const auto&... array) { (give_room(array), ...); }, host.arrays());
    on_device_ = DeviceBuffer<std::uint8_t>(bytes);
    const Stream stream;
    auto begin = begins.begin();
    const auto copy = [&](const auto& array) {
      on_device_.copy_from(reinterpret_cast<const std::uint8_t*>(array.data()), *begin++,
                           array.size() * sizeof(array[0]), stream);
    };
    std::apply([&](const auto&... array) { (copy(array), ...); }, host.arrays());

    // Each view asks for the arrays in their order.
    const auto next = [&]<class T>(const std::vector<T>&) {
      return reinterpret_cast<const T*>(on_device_.data() + *begin++);
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
  }

  const void* kernel(SetStage stage, SetForm form) const override {
    return with_constant<std::size(kSetStages) - 1>(static_cast<unsigned>(stage), [&](auto s) {
      return with_constant<kSetForms - 1>(static_cast<unsigned>(form), [&](auto f) {
        constexpr auto kStage = static_cast<SetStage>(decltype(s)::value);
        return reinterpret_cast<const void*>(&set_kernel<Matcher, kStage, static_cast<SetForm>(decltype(f)::value)>);
      });
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
  const uint4* in_global() const override { return reinterpret_cast<const uint4*>(on_device_.data()); }
  std::uint64_t bytes() const override { return on_device_.size(); }

 private:
  DeviceBuffer<std::uint8_t> on_device_;
  StageTables<Matcher, SetStage::u> plain_;
  StageTables<Matcher, SetStage::tc> read_only_;
  StageTables<Matcher, SetStage::st> split_;
};

template <class Matcher>
class PreparedOnDevice : public GpuPreparedSet {
 public:
  explicit PreparedOnDevice(const matchers::PatternSet& set) : patterns_(set.size()), longest_(set.longest()) {
    Stopwatch watch;
    matchers::HostTables<Matcher> host;
    Matcher::prepare(set, host);
    tables_ = std::make_unique<MatcherTables<Matcher>>(host);
    watch.lap(prepare_seconds);
  }

  GpuSetFound search(const DeviceText& text, const GpuSetWork& work, unsigned repeats) const override {
    return search_set(*tables_, patterns_, longest_, text, work, repeats);
  }
  std::uint64_t table_bytes() const override { return tables_->bytes(); }

 private:
  std::uint32_t patterns_;
  std::uint64_t longest_;
  std::unique_ptr<MatcherTables<Matcher>> tables_;
};

template <class Matcher>
constexpr GpuSetMatcher gpu_set_matcher() {
  return {&Matcher::kFacts, [](const matchers::PatternSet& set) -> std::unique_ptr<GpuPreparedSet> {
            return std::make_unique<PreparedOnDevice<Matcher>>(set);
          }};
}

}  // namespace internal

}  // namespace trawl::gpu
