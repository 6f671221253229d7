// Runs a matcher (lab/matchers/matcher.hpp) on the device, with the kernel for its kind.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/stopwatch.hpp"
#include "base/with_constant.hpp"
#include "lab/kernels/warp_io.cuh"
#include "lab/matchers/packed/word_compare.hpp"

namespace trawl::gpu {

/// The kernel of word_compare.cu.
std::unique_ptr<DeviceSearch> own_search(const matchers::WordCompare::Table& table);

namespace internal {

// The kernel for most matchers (lab/matchers/matcher.hpp). A block takes one tile of the text after another: it copies
// the tile to shared memory, where every thread scans its own stretch. So the device's memory is read once and in
// order, whatever order an algorithm reads in, and what lies outside the text is never seen.
//
//   text     ....|<- m - 1 ->|<- stretch of thread 0 ->|<- of thread 1 ->| ... |
//                ^ begin of the tile's text                                    ^ its end

// Each file that is compiled has its own.
static __constant__ uint4 constant_table[kConstantTable / sizeof(uint4)];

/// Writes the bits of a tile, which begins at text position `begin`, in the form of `out`, and clears them. A thread
/// clears only what it has read itself. Returns how many of the bits that it has read are 1.
__device__ inline std::uint32_t write_tile(std::uint32_t* bits, const ExactPlan& plan, std::uint64_t tile,
                                           std::uint64_t begin, std::uint64_t size, const EndsView& out) {
  std::uint32_t all = 0;
  for (unsigned w = threadIdx.x; w < plan.groups_per_tile * kGroupWords; w += blockDim.x) {
    const std::uint32_t word = bits[w];
    bits[w] = 0;
    const std::uint64_t at = begin + std::uint64_t{w} * 32;
    const bool inside = std::uint64_t{w} * 32 < plan.tile_ends() && at < size;
    if (out.bytes != nullptr) {  // the buffer is padded, so whole vectors may be written at the end of the text
      if (inside) {
#pragma unroll
        for (unsigned half = 0; half < 2; ++half) {
          __stcs(reinterpret_cast<uint4*>(out.bytes + at) + half, spread_half(word >> (16 * half)));
        }
      }
    } else if (out.bits != nullptr) {
      if (inside) {
        out.bits[at / 32] = word;
      }
    } else if (out.list != nullptr) {
      write_group(out, tile * plan.groups_per_tile + w / kGroupWords, word);
    } else {
      all += __popc(word);
    }
  }
  return all;
}

template <class Matcher, TableMemory kMemory, unsigned kVariant>
__global__ void __launch_bounds__(kMostExactThreads)
    exact_kernel(SearchedText text, const void* in_global, std::uint32_t table_vectors, std::uint32_t m, ExactPlan plan,
                 EndsView out) {
  using Table = typename Matcher::Table;
  extern __shared__ uint4 shared_memory[];
  auto* const shared_bytes = reinterpret_cast<std::uint8_t*>(shared_memory);
  auto* const bits = reinterpret_cast<std::uint32_t*>(shared_bytes + plan.ends_at);
  const Table* table;
  if constexpr (kMemory == TableMemory::constant) {
    table = reinterpret_cast<const Table*>(constant_table);
  } else if constexpr (kMemory == TableMemory::shared) {
    for (unsigned i = threadIdx.x; i < table_vectors; i += blockDim.x) {
      shared_memory[i] = static_cast<const uint4*>(in_global)[i];
    }
    table = reinterpret_cast<const Table*>(shared_memory);
  } else {
    table = static_cast<const Table*>(in_global);
  }
  for (unsigned w = threadIdx.x; w < plan.groups_per_tile * kGroupWords; w += blockDim.x) {
    bits[w] = 0;
  }

  std::uint64_t found = 0;
  for (std::uint64_t tile = blockIdx.x; tile < plan.tiles; tile += gridDim.x) {
    const std::uint64_t ends_begin = text.first + tile * plan.tile_ends();
    const std::uint64_t ends_end = min(ends_begin + plan.tile_ends(), text.size);
    const std::uint64_t text_begin = matchers::first_window(ends_begin, m) / 16 * 16;
    const DeviceCharacters<std::uint32_t> tile_text{shared_bytes + plan.text_at,
                                                    static_cast<std::uint32_t>(ends_end - text_begin)};
    for (unsigned i = threadIdx.x; i * 16 < tile_text.length; i += blockDim.x) {
      __pipeline_memcpy_async(shared_bytes + plan.text_at + i * 16, text.characters + text_begin + i * 16, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    const auto before = static_cast<std::uint32_t>(ends_begin - text_begin);
    const std::uint32_t begin = before + threadIdx.x * plan.stretch;
    if (begin < tile_text.length) {
      const std::uint32_t end = min(begin + plan.stretch, tile_text.length);
      matchers::scan_variant<Matcher, kVariant>(*table, tile_text, begin, end, [&](std::uint64_t j) {
        const auto at = static_cast<std::uint32_t>(j);
        if (at - begin < end - begin) {
          atomicOr(bits + (at - before) / 32, 1u << ((at - before) % 32));
        }
      });
    }
    __syncthreads();
    found += write_tile(bits, plan, tile, ends_begin, text.size, out);
  }
  if (out.bytes == nullptr && out.bits == nullptr && out.list == nullptr && found != 0) {
    atomicAdd(out.count, static_cast<unsigned long long>(found));
  }
}

/// The kernels of a matcher, without its type.
template <class Matcher>
ExactKernels exact_kernels(const typename Matcher::Table& table) {
  void* constant = nullptr;
  check(cudaGetSymbolAddress(&constant, constant_table), "cudaGetSymbolAddress");
  return matchers::with_variant<Matcher>(table, [&]<class Variant>(Variant) -> ExactKernels {
    constexpr unsigned kVariant = Variant::value;
    return {reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::constant, kVariant>),
            reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::shared, kVariant>),
            reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::global, kVariant>), constant};
  });
}

// The kernel for matchers with kGpuStretch: every thread scans its own 8 characters of the text, and keeps their ends
// in a register.

constexpr unsigned kMatcherThreads = 256;
constexpr unsigned kMatcherBlock = 8 * kMatcherThreads;  // characters

// `words`: how many words of the table are used.
template <class Matcher, unsigned kVariant>
__global__ void __launch_bounds__(kMatcherThreads)
    matcher_kernel(DeviceCharacters<std::uint64_t> text, std::uint64_t first, const typename Matcher::Table* in_global,
                   unsigned words, EndsView out) {
  using Table = typename Matcher::Table;
  static_assert(Matcher::kGpuStretch == 8);
  static_assert(sizeof(Table) % 4 == 0, "a table is copied in words of 4 bytes; let it begin with a std::uint32_t");
  __shared__ __align__(16) std::uint32_t table_words[sizeof(Table) / 4];
  const auto* from = reinterpret_cast<const std::uint32_t*>(in_global);
  for (unsigned i = threadIdx.x; i < words; i += kMatcherThreads) {
    table_words[i] = from[i];
  }
  __syncthreads();

  const std::uint64_t block_begin = std::uint64_t{blockIdx.x} * kMatcherBlock;
  const std::uint64_t begin = block_begin + threadIdx.x * 8;
  unsigned ends = 0;
  if (begin < text.length) {
    matchers::scan_variant<Matcher, kVariant>(
        *reinterpret_cast<const Table*>(table_words), text, begin, min(begin + 8, text.length),
        [&](std::uint64_t j) { ends |= j - begin < 8 && j >= first ? 1u << (j - begin) : 0u; });
  }
  const unsigned first_of_warp = threadIdx.x / match::kWarpLanes * match::kWarpLanes;
  write_ends<8>(out, block_begin + first_of_warp * 8, ends, begin < text.length, text.length);
}

template <class Matcher>
class FixedStretchSearch : public DeviceSearch {
 public:
  using Table = typename Matcher::Table;

  explicit FixedStretchSearch(const Table& table)
      : kernel_(matchers::with_variant<Matcher>(
            table, []<class Variant>(Variant) { return &matcher_kernel<Matcher, Variant::value>; })),
        words_(static_cast<unsigned>((matchers::table_bytes<Matcher>(table) + 3) / 4)),
        table_(1) {
    copy_table(&table, std::min(sizeof table, std::size_t{4} * words_), table_.data());
  }

  GpuWork chosen(std::uint64_t size) override { return {TableMemory::shared, 8, kMatcherThreads, blocks(size)}; }

  void reserve(const SearchedText&, DeviceEnds::State&) override {}

  void enqueue(const SearchedText& text, DeviceEnds::State& ends, const Stream& stream) override {
    kernel_<<<blocks(text.size), kMatcherThreads, 0, stream>>>({text.characters, text.size}, text.first, table_.data(),
                                                               words_, ends.view());
    check_launch("matcher_kernel");
  }

 private:
  static unsigned blocks(std::uint64_t size) { return static_cast<unsigned>(divided_up(size, kMatcherBlock)); }

  decltype(&matcher_kernel<Matcher, 0>) kernel_;
  unsigned words_;  // of the table, that are used
  DeviceBuffer<Table> table_;
};

enum class KernelKind { tiles, fixed_stretch, own };

template <class Matcher>
constexpr KernelKind kernel_kind() {
  if constexpr (requires { Matcher::kOwnKernel; }) {
    return KernelKind::own;
  } else if constexpr (requires { Matcher::kGpuStretch; }) {
    return KernelKind::fixed_stretch;
  } else {
    return KernelKind::tiles;
  }
}

template <class Matcher>
std::unique_ptr<DeviceSearch> prepare_on_gpu(const MatcherSettings& settings, const GpuWork& work) {
  const MatcherSettings resolved = matchers::resolve(Matcher::kFacts, settings);
  double seconds = 0;
  Stopwatch watch;
  const auto table = matchers::prepare_table<Matcher>(resolved);
  watch.lap(seconds);
  constexpr KernelKind kKind = kernel_kind<Matcher>();
  if (kKind != KernelKind::tiles && !(work == GpuWork{})) {
    throw UsageError(std::string(Matcher::kFacts.name) +
                     " has a kernel of its own on the device: memory, stretch, threads and blocks are not to choose");
  }
  std::unique_ptr<DeviceSearch> search;
  if constexpr (kKind == KernelKind::tiles) {
    search = exact_search(exact_kernels<Matcher>(*table), table.get(), matchers::table_bytes<Matcher>(*table),
                          resolved.pattern.size() + resolved.max_edits, work);
  } else if constexpr (kKind == KernelKind::own) {
    search = own_search(*table);
  } else {
    search = std::make_unique<FixedStretchSearch<Matcher>>(*table);
  }
  search->prepare_seconds += seconds;
  return search;
}

template <class Matcher>
constexpr GpuMatcher gpu_matcher() {
  return {matchers::checked_facts<Matcher>(), &prepare_on_gpu<Matcher>, kernel_kind<Matcher>() == KernelKind::tiles};
}

}  // namespace internal

}  // namespace trawl::gpu
