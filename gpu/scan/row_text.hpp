// A part of a reference as striped bit planes, for the row-wise scan (match/wu_manber_warp.hpp). Only .cu files include
// this.
#pragma once

#include <cstdint>

#include "gpu/device/device_memory.hpp"
#include "match/wu_manber_warp.hpp"
#include "scan/find/ambiguous_text.hpp"
#include "scan/find/finder.hpp"
#include "sequence/reference.hpp"

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
struct RowTextView {
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

/// Blocks [first, last) of a text. A block has match::kRowBlock positions. Neighbouring blocks overlap by at least the
/// length of a match.
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// How a text is cut into blocks, for matches up to `reach` long.
class BlockSteps {
 public:
  BlockSteps() = default;
  explicit BlockSteps(std::uint64_t reach) : step_(match::kRowBlock - (reach + 31) / 32 * 32) {}

  /// The step from block to block. It is a multiple of 32, so that lanes load whole halves of words.
  std::uint64_t step() const { return step_; }
  /// The number of blocks of a text of `size` positions.
  std::uint64_t count(std::uint64_t size) const { return (size + step_ - 1) / step_; }
  /// The blocks that give the ends in a region; the region must not be empty.
  BlockRange blocks_of(const scan::Region& region) const {
    return {block_of(region.begin), block_of(region.end - 1) + 1};
  }
  /// The region whose ends these blocks give. It may go beyond the end of the text.
  scan::Region ends_of(const BlockRange& blocks) const { return {begin_of(blocks.first), begin_of(blocks.last)}; }

 private:
  // The block that reports the ends at a position. The next block begins with the last positions of this one, but does
  // not report them.
  std::uint64_t block_of(std::uint64_t position) const {
    return position < match::kRowBlock ? 0 : (position - (match::kRowBlock - step_)) / step_;
  }
  std::uint64_t begin_of(std::uint64_t block) const {
    return block == 0 ? 0 : block * step_ + match::kRowBlock - step_;
  }

  std::uint64_t step_ = match::kRowBlock;
};

class RowText {
 public:
  /// A block takes at most this many bytes on the device.
  static constexpr std::uint64_t kMostBlockBytes = std::uint64_t{10} << 10;

  /// Some blocks; the steps are for a reach of at most kRowsLongest + kRowsMostEdits. Ambiguous letters match nothing
  /// or, with `ambiguous_matches`, each base that they can stand for.
  RowText(const sequence::Reference& reference, bool ambiguous_matches, const BlockSteps& steps,
          const BlockRange& range);

  const BlockSteps& steps() const { return steps_; }
  RowTextView view() const {
    scan::AmbiguousCountsView ambiguous_counts;
    if (is_ambiguous_.size() > 0) {
      ambiguous_counts = {is_ambiguous_.data() - first_word_, ambiguous_before_.data() - first_word_};
    }
    return {plain_.data(), kinds_.data(), mixed_slots_.data(), mixed_.data(), first_, kinds_.size(),
            steps_.step(), size_,         ambiguous_counts};
  }

 private:
  std::uint64_t size_;
  BlockSteps steps_;
  std::uint64_t first_;           // block
  std::uint64_t first_word_ = 0;  // number of the word of the text with which is_ambiguous_ and ambiguous_before_ begin
  DeviceBuffer<uint4> plain_;
  DeviceBuffer<BlockKind> kinds_;
  DeviceBuffer<std::uint32_t> mixed_slots_;
  DeviceBuffer<std::uint32_t> mixed_;
  DeviceBuffer<std::uint64_t> is_ambiguous_;
  DeviceBuffer<std::uint32_t> ambiguous_before_;
};

}  // namespace trawl::gpu
