// How the kernel for exact matchers (gpu_driver.cuh) shares out a text and the shared memory. No CUDA header is
// needed, so that tests without a GPU can check it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lab/kernels/gpu_matchers.hpp"

namespace trawl::gpu {

// The order of the ends that a kernel writes as bits in groups (EndGroups in device_search.hpp).
//
//   tile 0: groups 0 to P-1      tile 1: groups P to 2P-1      ...          P = EndTiles::groups_per_tile
//   bit b of a tile (bit b % 32 of its word b / 32) is the end EndTiles::first + tile * tile_ends + b

/// Words of 32 bits in a group: a warp writes a group at once.
inline constexpr unsigned kGroupWords = 32;
inline constexpr unsigned kGroupEnds = 32 * kGroupWords;

/// How the ends of a search are cut into tiles, and these into groups.
struct EndTiles {
  std::uint64_t first = 0;  // the end of bit 0 of tile 0
  std::uint64_t tiles = 0;
  std::uint64_t tile_ends = kGroupEnds;  // positions of a tile, at most groups_per_tile * kGroupEnds
  std::uint32_t groups_per_tile = 1;

  std::uint64_t groups() const { return tiles * groups_per_tile; }
};

constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// A stretch in bytes of 4 * an odd number: so threads that read in step meet different banks of the shared memory.
constexpr unsigned without_conflicts(std::uint64_t stretch) { return static_cast<unsigned>((stretch + 3) / 8 * 8 + 4); }

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
  std::size_t m;        // the most characters of a match
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
  std::uint32_t groups_per_tile;  // see EndTiles
  std::size_t text_at, ends_at;   // where in the shared memory the tile and the bits begin; the table begins at 0
  std::size_t shared;             // bytes

  constexpr std::uint64_t tile_ends() const { return std::uint64_t{threads} * stretch; }
};

/// `resident`: how many blocks with so many threads and bytes of shared memory run at the same time on a
/// multiprocessor. Throws UsageError if the device cannot do what `work` asks for.
ExactPlan plan_exact(const ExactDevice& device, const ExactTask& task, const GpuWork& work,
                     const std::function<unsigned(TableMemory, unsigned threads, std::size_t shared)>& resident);

/// The current device.
ExactDevice exact_device();

/// The number of blocks of `kernel` that run at the same time on a multiprocessor; lets it use all shared memory.
unsigned resident_on_one(const ExactDevice& device, const void* kernel, unsigned threads, std::size_t shared);

}  // namespace trawl::gpu
