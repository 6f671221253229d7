// The part of a text that wu_manber_scan.hpp hides. Only .cu files include this.
#pragma once

#include <cstdint>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#include "match/wu_manber_warp.hpp"
#include "scan/find/leaning_ends.hpp"

namespace trawl::gpu {

enum class BlockKind : std::uint8_t {
  plain,  // every position is one base
  mixed,  // some positions match nothing, or several bases
  dead,   // no match ends in it
};

/// The uint4 vectors of a block: high planes, then low planes, each as [half of the words][lane].
inline constexpr std::uint32_t kPlainVectors = 4 * match::kWarpLanes;
/// Words of a mixed block: [base][word][lane].
inline constexpr std::uint32_t kMixedWords = 4 * match::kRowWords * match::kWarpLanes;

/// What kernels see: some blocks of a text.
struct ScanTextView {
  const uint4* plain;
  const BlockKind* kinds;
  const std::uint32_t* mixed_slots;  // the slot of each mixed block, by block
  const std::uint32_t* mixed;        // by slot
  std::uint64_t first;               // number of the first of these blocks in the text
  std::uint64_t blocks;
  std::uint64_t step;                          // positions from one block to the next
  std::uint64_t size;                          // positions of the text
  scan::AmbiguousCountsView ambiguous_counts;  // null if no ambiguous letter matches
};

/// The block that reports the ends at a position. The next block begins with the last positions of this one, but does
/// not report them.
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
  DeviceBuffer<std::uint64_t> is_ambiguous;
  DeviceBuffer<std::uint32_t> ambiguous_before;
  std::uint64_t first_word = 0;  // number of the word of the text with which is_ambiguous and ambiguous_before begin

  std::uint64_t blocks() const { return kinds.size(); }
  ScanTextView view() const {
    scan::AmbiguousCountsView ambiguous_counts;
    if (is_ambiguous.size() > 0) {
      ambiguous_counts = {is_ambiguous.data() - first_word, ambiguous_before.data() - first_word};
    }
    return {plain.data(), kinds.data(), mixed_slots.data(), mixed.data(), first, blocks(),
            step,         size,         ambiguous_counts};
  }
};

}  // namespace trawl::gpu
