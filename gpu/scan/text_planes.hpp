// What wu_manber_scan.hpp hides of a text. Only gpu/*.cu include this.
#pragma once

#include <cstdint>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#include "match/wu_manber_warp.hpp"
#include "scan/find/n_ends.hpp"

namespace trawl::gpu {

enum class BlockKind : std::uint8_t {
  plain,  // every position is one base
  mixed,  // some match nothing, or several bases
  dead,   // no match ends in it
};

/// 32-bit words of a block: high and low planes, as uint4 by [half of the words][lane], high before low.
inline constexpr std::uint32_t kPlainVectors = 4 * match::kWarpLanes;
/// Words of a mixed block: [base][word][lane].
inline constexpr std::uint32_t kMixedWords = 4 * match::kRowWords * match::kWarpLanes;

/// What kernels see: some blocks of a text.
struct ScanTextView {
  const uint4* plain;
  const BlockKind* kinds;
  const std::uint32_t* mixed_slots;  // of a mixed block, by block
  const std::uint32_t* mixed;        // by slot
  std::uint64_t first;               // which block of the text they begin with
  std::uint64_t blocks;
  std::uint64_t step;          // from block to block
  std::uint64_t size;          // of the text
  scan::NCountsView n_counts;  // null where no end is to be left out because of N
};

/// The block that reports the ends at a position: not the next one, which begins with the end of it again.
inline std::uint64_t block_of(std::uint64_t position, std::uint64_t step) {
  const std::uint64_t overlap = match::kRowBlock - step;
  return position < match::kRowBlock ? 0 : (position - overlap) / step;
}

struct ScanText::State {
  std::uint64_t size = 0;
  std::uint64_t step = 0;
  std::uint64_t first = 0;
  DeviceBuffer<uint4> plain;
  DeviceBuffer<BlockKind> kinds;
  DeviceBuffer<std::uint32_t> mixed_slots;
  DeviceBuffer<std::uint32_t> mixed;
  DeviceBuffer<std::uint64_t> is_n;
  DeviceBuffer<std::uint32_t> n_before;
  std::uint64_t first_n = 0;  // which word of the text is_n and n_before begin with

  std::uint64_t blocks() const { return kinds.size(); }
  ScanTextView view() const {
    scan::NCountsView n_counts;
    if (is_n.size() > 0) {
      n_counts = {is_n.data() - first_n, n_before.data() - first_n};
    }
    return {plain.data(), kinds.data(), mixed_slots.data(), mixed.data(), first, blocks(), step, size, n_counts};
  }
};

}  // namespace trawl::gpu
