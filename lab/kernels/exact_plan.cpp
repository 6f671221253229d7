#include "lab/kernels/exact_plan.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace trawl::gpu {

namespace {

// A table up to this size goes to shared memory.
constexpr std::size_t kLargestSharedTable = 64 * 1024;
// Bytes around a tile: its begin is rounded down to 16, and load() may read after its end.
constexpr std::size_t kTileMargin = 16 + 64;
constexpr unsigned kShortestStretch = 28;

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

static_assert(without_conflicts(28) == 28 && without_conflicts(29) == 36 && without_conflicts(100) == 100);

struct Memory {
  std::size_t table;   // in shared memory
  std::size_t before;  // characters before a tile that its first windows need

  std::size_t text(std::uint64_t tile_ends) const { return rounded(tile_ends + before + kTileMargin); }
  static std::size_t bits(std::uint64_t tile_ends) { return divided_up(tile_ends, kGroupEnds) * kGroupWords * 4; }
  std::size_t of(std::uint64_t tile_ends) const { return table + text(tile_ends) + bits(tile_ends); }
  // The longest stretch that fits; 0: none.
  unsigned longest_stretch(unsigned threads, std::size_t room) const {
    unsigned stretch = 0;
    for (unsigned step = 1u << 18; step >= 8; step /= 2) {
      if (of(std::uint64_t{threads} * (stretch + step + 4)) <= room) {
        stretch += step;
      }
    }
    return of(std::uint64_t{threads} * (stretch + 4)) <= room ? stretch + 4 : 0;
  }
};

// Long patterns need long stretches: a thread reads m - 1 characters more than its stretch has. So fewer threads share
// the memory.
unsigned wanted_threads(std::size_t m, TableMemory memory) {
  const unsigned wanted = m <= 32 ? 2048 : m <= 256 ? 1024 : m <= 1024 ? 512 : 256;
  return memory == TableMemory::global ? std::min(wanted, 1024u) : wanted;
}

TableMemory chosen_memory(const ExactDevice& device, std::size_t table, TableMemory asked) {
  if (asked == TableMemory::automatic) {
    return table <= std::min(kLargestSharedTable, device.shared_per_block / 3) ? TableMemory::shared
                                                                               : TableMemory::global;
  }
  if (asked == TableMemory::constant && table > kConstantTable) {
    throw UsageError("the table has " + std::to_string(table) + " bytes; constant memory holds " +
                     std::to_string(kConstantTable) + ": choose shared or global memory");
  }
  return asked;
}

}  // namespace

ExactPlan plan_exact(const ExactDevice& device, const ExactTask& task, const GpuWork& work,
                     const std::function<unsigned(TableMemory, unsigned, std::size_t)>& resident) {
  if (work.threads % 32 != 0 || work.threads > kMostExactThreads) {
    throw UsageError(std::to_string(work.threads) + " threads per block; it takes multiples of 32 up to " +
                     std::to_string(kMostExactThreads));
  }
  ExactPlan plan{};
  plan.memory = chosen_memory(device, task.table, work.memory);
  const Memory memory{plan.memory == TableMemory::shared ? rounded(task.table) : 0, task.m - 1};
  const auto no_room = [&](unsigned threads) {
    return UsageError(
        "the shared memory of a block, " + std::to_string(device.shared_per_block) + " bytes, has no room for " +
        (memory.table > 0 ? "the table, " + std::to_string(task.table) + " bytes, and " : "") +
        std::to_string(threads) + " threads with " +
        (work.stretch > 0 ? "stretches of " + std::to_string(work.stretch) + " characters" : "their characters"));
  };
  const std::uint64_t ends = task.size - task.first;
  const unsigned wanted = wanted_threads(task.m, plan.memory);
  // A large table is shared by many threads.
  unsigned threads = memory.table <= 4096 ? 256 : memory.table <= 16384 ? 512 : 1024;
  threads = work.threads > 0 ? work.threads : std::min(threads, wanted);
  if (work.stretch > 0) {
    plan.stretch = work.stretch;
    while (work.threads == 0 && threads > 32 &&
           memory.of(std::uint64_t{threads} * plan.stretch) > device.shared_per_block) {
      threads /= 2;
    }
  } else {
    for (unsigned blocks = std::max(1u, wanted / threads);;) {
      const std::size_t room = std::min(
          device.shared_per_block, device.shared_per_multiprocessor / blocks -
                                       std::min(device.shared_reserved, device.shared_per_multiprocessor / blocks));
      plan.stretch = memory.longest_stretch(threads, room);
      const unsigned fit =
          plan.stretch == 0 ? 0 : resident(plan.memory, threads, memory.of(std::uint64_t{threads} * plan.stretch));
      if (plan.stretch >= kShortestStretch && fit >= blocks) {
        // All blocks take the same number of tiles, as far as possible.
        const std::uint64_t all = std::uint64_t{blocks} * device.multiprocessors * threads;
        const std::uint64_t rounds = std::max<std::uint64_t>(1, divided_up(ends, all * plan.stretch));
        plan.stretch =
            std::min(plan.stretch, std::max(kShortestStretch, without_conflicts(divided_up(ends, all * rounds))));
        break;
      }
      if (fit > 0 && fit < blocks) {
        blocks = fit;
      } else if (blocks > 1) {
        --blocks;
      } else if (work.threads == 0 && threads > 32) {
        threads /= 2;
      } else if (plan.stretch > 0 && fit > 0) {
        break;
      } else {
        throw no_room(threads);
      }
    }
  }
  plan.threads = threads;
  plan.groups_per_tile = static_cast<std::uint32_t>(divided_up(plan.tile_ends(), kGroupEnds));
  plan.tiles = divided_up(ends, plan.tile_ends());
  plan.text_at = memory.table;
  plan.ends_at = plan.text_at + memory.text(plan.tile_ends());
  plan.shared = memory.of(plan.tile_ends());
  if (plan.shared > device.shared_per_block) {
    throw no_room(threads);
  }
  const std::uint64_t at_once = std::uint64_t{resident(plan.memory, threads, plan.shared)} * device.multiprocessors;
  if (at_once == 0) {
    throw no_room(threads);
  }
  plan.blocks = static_cast<unsigned>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(plan.tiles, 1), work.blocks > 0 ? work.blocks : at_once));
  return plan;
}

}  // namespace trawl::gpu
