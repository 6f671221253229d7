// The kernel for exact matchers (lab/matchers/matcher.hpp). A block takes one tile of the text after another: it copies
// the tile to shared memory, where every thread scans its own stretch. So the device's memory is read once and in
// order, whatever order an algorithm reads in, and what lies outside the text is never seen.
//
//   text     ....|<- m - 1 ->|<- stretch of thread 0 ->|<- of thread 1 ->| ... |
//                ^ begin of the tile's text                                    ^ its end
#pragma once

#include <cuda_pipeline.h>

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/device_search.hpp"
#include "lab/kernels/exact_plan.hpp"
#include "lab/kernels/exact_search.hpp"
#include "lab/kernels/load_characters.cuh"
#include "lab/kernels/write_ends.cuh"
#include "lab/matchers/matcher.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace internal {

// Each file that is compiled has its own.
static __constant__ uint4 constant_table[kConstantTable / sizeof(uint4)];

/// A tile in shared memory, in the form that scan() needs: for it, the tile is the text.
struct TileText {
  const std::uint8_t* characters;
  std::uint32_t length;

  __device__ std::uint64_t size() const { return length; }
  __device__ unsigned char operator[](std::uint64_t j) const { return characters[static_cast<std::uint32_t>(j)]; }
  template <unsigned kCount>
  __device__ Characters<kCount> load(std::uint64_t j) const {
    Characters<kCount> loaded;
    loaded.load(characters + static_cast<std::uint32_t>(j));
    return loaded;
  }
};

/// Writes the bits of a tile, which begins at text position `begin`, in the form of `out`, and clears them. A thread
/// clears only what it has read itself. Returns how many of the bits that it has read are 1.
__device__ inline std::uint32_t write_tile(std::uint32_t* bits, const ExactPlan& plan, std::uint64_t tile,
                                           std::uint64_t begin, std::uint64_t size, const EndsView& out) {
  const unsigned lane = threadIdx.x % 32;
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
          const std::uint32_t ends = word >> (16 * half);
          __stcs(reinterpret_cast<uint4*>(out.bytes + at) + half,
                 make_uint4(spread_bits(ends & 15), spread_bits((ends >> 4) & 15), spread_bits((ends >> 8) & 15),
                            spread_bits((ends >> 12) & 15)));
        }
      }
    } else if (out.bits != nullptr) {
      if (inside) {
        out.bits[at / 32] = word;
      }
    } else if (out.list != nullptr) {
      const std::uint32_t found = __reduce_add_sync(match::kAllLanes, static_cast<unsigned>(__popc(word)));
      if (found != 0) {
        const std::uint64_t group = tile * plan.groups_per_tile + w / kGroupWords;
        out.groups.bits[group * kGroupWords + lane] = word;
        if (lane == 0) {
          out.groups.counts[group] = found;
        }
      }
    } else {
      all += __popc(word);
    }
  }
  return all;
}

template <class Matcher, TableMemory kMemory>
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
    const TileText tile_text{shared_bytes + plan.text_at, static_cast<std::uint32_t>(ends_end - text_begin)};
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
      Matcher::scan(*table, tile_text, begin, end, [&](std::uint64_t j, unsigned = 0) {
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
ExactKernels exact_kernels() {
  void* constant = nullptr;
  check(cudaGetSymbolAddress(&constant, constant_table), "cudaGetSymbolAddress");
  return {reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::constant>),
          reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::shared>),
          reinterpret_cast<const void*>(&exact_kernel<Matcher, TableMemory::global>), constant};
}

}  // namespace internal

}  // namespace trawl::gpu
