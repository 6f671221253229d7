// The kernel for matchers with edits, and for those with kGpuStretch: every thread scans its own stretch of the text,
// whose length is known when compiling.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.hpp"
#include "base/with_constant.hpp"
#include "gpu/device/device_memory.hpp"
#include "lab/kernels/device_search.hpp"
#include "lab/kernels/load_characters.cuh"
#include "lab/kernels/write_ends.cuh"
#include "lab/matchers/matcher.hpp"

namespace trawl::gpu {

namespace internal {

constexpr unsigned kMatcherThreads = 256;
// The largest table that is put in shared memory, of which a block may have 48 KiB. A larger table stays in global
// memory.
constexpr std::size_t kLargestSharedTable = 32 * 1024;

/// A text in device memory, in the form that scan() needs. It is padded, so load() may read after its end.
struct MatcherText {
  const std::uint8_t* characters;
  std::uint64_t length;

  __device__ std::uint64_t size() const { return length; }
  __device__ unsigned char operator[](std::uint64_t j) const { return characters[j]; }
  template <unsigned kCount>
  __device__ Characters<kCount> load(std::uint64_t j) const {
    Characters<kCount> loaded;
    loaded.load(characters + j);
    return loaded;
  }
};

/// How many characters each thread searches. The default is 64. Before them a thread also reads as many characters as
/// the pattern has, less one: with a pattern of 65 letters that is 64 more.
template <class Matcher>
constexpr unsigned gpu_stretch() {
  if constexpr (requires { Matcher::kGpuStretch; }) {
    return Matcher::kGpuStretch;
  } else {
    return 64;
  }
}

// `words`: how many words of the table are used. With a stretch of 8, a thread keeps its ends in a register. With a
// longer one, it keeps them in shared memory: one byte of its own for 8 positions.
template <class Matcher, unsigned kVariant>
__global__ void __launch_bounds__(kMatcherThreads)
    matcher_kernel(MatcherText text, std::uint64_t first, const typename Matcher::Table* in_global, unsigned words,
                   EndsView out) {
  using Table = typename Matcher::Table;
  constexpr bool kShared = sizeof(Table) <= kLargestSharedTable;
  constexpr unsigned kStretch = gpu_stretch<Matcher>();
  constexpr unsigned kGroups = kStretch / 8;
  static_assert(kStretch % 8 == 0 && kStretch > 0 && kGroups <= 32, "a stretch is a multiple of 8, at most 256");
  static_assert(sizeof(Table) % 4 == 0, "a table is copied in words of 4 bytes; let it begin with a std::uint32_t");
  __shared__ __align__(16) std::uint32_t table_words[kShared ? sizeof(Table) / 4 : 1];
  __shared__ std::uint8_t group_ends[kGroups == 1 ? 1 : kGroups * kMatcherThreads];

  if constexpr (kShared) {
    const auto* from = reinterpret_cast<const std::uint32_t*>(in_global);
    for (unsigned i = threadIdx.x; i < words; i += kMatcherThreads) {
      table_words[i] = from[i];
    }
    __syncthreads();
  }
  const Table& table = *(kShared ? reinterpret_cast<const Table*>(table_words) : in_global);

  const std::uint64_t block_begin = std::uint64_t{blockIdx.x} * (kMatcherThreads * kStretch);
  const std::uint64_t begin = block_begin + threadIdx.x * kStretch;
  const std::uint64_t end = min(begin + kStretch, text.length);
  // The first thread of the calling warp; the warp's groups of 8 begin at its text.
  const unsigned warp_group = threadIdx.x / match::kWarpLanes * match::kWarpLanes;
  if constexpr (kGroups == 1) {
    unsigned ends = 0;
    if (begin < text.length) {
      matchers::scan_variant<Matcher, kVariant>(table, text, begin, end, [&](std::uint64_t j, unsigned = 0) {
        ends |= j - begin < kStretch && j >= first ? 1u << (j - begin) : 0u;
      });
    }
    write_ends<8>(out, block_begin + warp_group * 8, ends, begin < text.length, text.length);
  } else {
    std::uint8_t* const mine = group_ends + threadIdx.x * kGroups;
    for (unsigned g = 0; g < kGroups; ++g) {
      mine[g] = 0;
    }
    if (begin < text.length) {
      matchers::scan_variant<Matcher, kVariant>(table, text, begin, end, [&](std::uint64_t j, unsigned = 0) {
        if (j - begin < kStretch && j >= first) {
          mine[(j - begin) / 8] |= static_cast<std::uint8_t>(1u << ((j - begin) % 8));
        }
      });
    }
    __syncthreads();
    const unsigned lane = threadIdx.x % match::kWarpLanes;
    for (unsigned group = warp_group; group < kGroups * kMatcherThreads; group += kMatcherThreads) {
      write_ends<8>(out, block_begin + std::uint64_t{group} * 8, group_ends[group + lane], true, text.length);
    }
  }
}

template <class Matcher>
class FixedStretchSearch : public DeviceSearch {
 public:
  using Table = typename Matcher::Table;

  explicit FixedStretchSearch(const Table& table)
      : variant_(matchers::variant_of<Matcher>(table)),
        words_(static_cast<unsigned>((matchers::table_bytes<Matcher>(table) + 3) / 4)),
        table_(1) {
    copy_table(&table, std::min(sizeof table, std::size_t{4} * words_), table_.data());
  }

  GpuWork chosen(std::uint64_t size) override {
    constexpr bool kShared = sizeof(Table) <= kLargestSharedTable;
    return {kShared ? TableMemory::shared : TableMemory::global, gpu_stretch<Matcher>(), kMatcherThreads, blocks(size)};
  }

  void reserve(const SearchedText&, DeviceEnds::State&) override {}

  void enqueue(const SearchedText& text, DeviceEnds::State& ends, const Stream& stream) override {
    with_constant<matchers::variant_count<Matcher>() - 1>(variant_, [&](auto variant) {
      matcher_kernel<Matcher, decltype(variant)::value><<<blocks(text.size), kMatcherThreads, 0, stream>>>(
          {text.characters, text.size}, text.first, table_.data(), words_, ends.view());
      check_launch("matcher_kernel");
    });
  }

 private:
  static unsigned blocks(std::uint64_t size) {
    constexpr std::uint64_t kBlock = std::uint64_t{kMatcherThreads} * gpu_stretch<Matcher>();
    return static_cast<unsigned>((size + kBlock - 1) / kBlock);
  }

  unsigned variant_;
  unsigned words_;  // of the table, that are used
  DeviceBuffer<Table> table_;
};

}  // namespace internal

}  // namespace trawl::gpu
