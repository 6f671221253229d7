// How the kernel for exact matchers (exact_kernel.cuh) shares out a text and the shared memory. No CUDA header is
// needed, so that tests without a GPU can check it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lab/kernels/gpu_matchers.hpp"

namespace trawl::gpu {

/// Most threads of a block.
inline constexpr unsigned kMostExactThreads = 1024;
/// Room for a table in constant memory, in bytes. A program has 64 KiB for each file that is compiled.
inline constexpr std::size_t kConstantTable = 60 * 1024;

/// What a device has.
struct ExactDevice {
  unsigned multiprocessors;
  std::size_t shared_per_block;           // what a block may ask for
  std::size_t shared_per_multiprocessor;  // for all its blocks
  std::size_t shared_reserved;            // of each block, for the system
};

/// A search.
struct ExactTask {
  std::size_t table;    // bytes
  std::size_t m;        // the pattern's length
  std::uint64_t first;  // ends in [first, size) are searched
  std::uint64_t size;
};

/// The shared memory of a block: the table (if it is there), the tile of the text, and a bit for each end in it.
struct ExactPlan {
  TableMemory memory;
  unsigned threads;  // per block
  unsigned stretch;  // ends per thread
  unsigned blocks;
  std::uint64_t tiles;
  std::uint32_t groups_per_tile;  // of end_groups.hpp
  std::size_t text_at, ends_at;   // where in the shared memory the tile and the bits begin; the table begins at 0
  std::size_t shared;             // bytes

  constexpr std::uint64_t tile_ends() const { return std::uint64_t{threads} * stretch; }
};

/// `resident`: how many blocks with so many threads and bytes of shared memory run at the same time on a
/// multiprocessor. Throws UsageError if the device cannot do what `work` asks for.
ExactPlan plan_exact(const ExactDevice& device, const ExactTask& task, const GpuWork& work,
                     const std::function<unsigned(TableMemory, unsigned threads, std::size_t shared)>& resident);

}  // namespace trawl::gpu
