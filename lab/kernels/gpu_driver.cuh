// Runs a matcher (lab/matchers/matcher.hpp) on the device.
#pragma once

#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/stopwatch.hpp"
#include "lab/kernels/warp_io.cuh"
#include "lab/matchers/packed/word_compare.hpp"

namespace trawl::gpu {

/// The kernel of word_compare.cu.
std::unique_ptr<DeviceSearch> own_search(const matchers::WordCompare& table);

namespace internal {

// The kernel for most matchers (lab/matchers/matcher.hpp). A block takes one tile of the text after another: it copies
// the tile to shared memory, where every thread scans its own stretch. So the device's memory is read once and in
// order, whatever order an algorithm reads in, and what lies outside the text is never seen.
//
//   text     ....|<- m - 1 ->|<- stretch of thread 0 ->|<- of thread 1 ->| ... |
//                ^ begin of the tile's text                                    ^ its end

// Each file that is compiled has its own.
static __constant__ uint4 constant_table[kConstantTable / sizeof(uint4)];

/// Writes the bits of a tile for the list, and clears them. A thread clears only what it has read itself.
__device__ inline void write_tile(std::uint32_t* bits, const ExactPlan& plan, std::uint64_t tile, const EndsView& out) {
  for (unsigned w = threadIdx.x; w < plan.groups_per_tile * kGroupWords; w += blockDim.x) {
    const std::uint32_t word = bits[w];
    bits[w] = 0;
    write_group(out, tile * plan.groups_per_tile + w / kGroupWords, word);
  }
}

template <class Matcher, TableMemory kMemory>
__global__ void __launch_bounds__(kMostExactThreads)
    exact_kernel(SearchedText text, const void* in_global, std::uint32_t table_vectors, std::uint32_t m, ExactPlan plan,
                 EndsView out) {
  extern __shared__ uint4 shared_memory[];
  auto* const shared_bytes = reinterpret_cast<std::uint8_t*>(shared_memory);
  auto* const bits = reinterpret_cast<std::uint32_t*>(shared_bytes + plan.ends_at);
  const Matcher* table;
  if constexpr (kMemory == TableMemory::constant) {
    table = reinterpret_cast<const Matcher*>(constant_table);
  } else if constexpr (kMemory == TableMemory::shared) {
    for (unsigned i = threadIdx.x; i < table_vectors; i += blockDim.x) {
      shared_memory[i] = static_cast<const uint4*>(in_global)[i];
    }
    table = reinterpret_cast<const Matcher*>(shared_memory);
  } else {
    table = static_cast<const Matcher*>(in_global);
  }
  for (unsigned w = threadIdx.x; w < plan.groups_per_tile * kGroupWords; w += blockDim.x) {
    bits[w] = 0;
  }

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
      Matcher::scan(*table, tile_text, begin, end, [&](std::uint64_t j) {
        const auto at = static_cast<std::uint32_t>(j);
        if (at - begin < end - begin) {
          atomicOr(bits + (at - before) / 32, 1u << ((at - before) % 32));
        }
      });
    }
    __syncthreads();
    write_tile(bits, plan, tile, out);
  }
}

template <class Matcher>
std::unique_ptr<DeviceSearch> prepare_on_gpu(std::string_view pattern, const GpuWork& work) {
  double seconds = 0;
  Stopwatch watch;
  const auto table = matchers::prepare_table<Matcher>(pattern);
  watch.lap(seconds);
  std::unique_ptr<DeviceSearch> search;
  if constexpr (requires { Matcher::kOwnKernel; }) {
    if (!(work == GpuWork{})) {
      throw UsageError(std::string(Matcher::kFacts.name) +
                       " has a kernel of its own on the device: memory, stretch, threads and blocks are not to choose");
    }
    search = own_search(*table);
  } else {
    void* constant = nullptr;
    check(cudaGetSymbolAddress(&constant, constant_table), "cudaGetSymbolAddress");
    const ExactKernels kernels{reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::constant>),
                               reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::shared>),
                               reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::global>), constant};
    search = exact_search(kernels, table.get(), matchers::table_bytes(*table), pattern.size(), work);
  }
  search->prepare_seconds += seconds;
  return search;
}

template <class Matcher>
constexpr GpuMatcher gpu_matcher() {
  return {&Matcher::kFacts, &prepare_on_gpu<Matcher>};
}

}  // namespace internal

}  // namespace trawl::gpu
