// Some reads of a batch on the device, with both strands of each encoded. Strand 2 r is read r as in the file; strand 2
// r + 1 is its reverse complement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/map/block.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::gpu {

/// The longest read and the most edits that the device maps; the CPU maps other reads.
inline constexpr std::uint32_t kMaxDeviceRead = 1024;
inline constexpr std::uint32_t kMaxDeviceEdits = 31;

/// Where a read is in the text of these reads, and who maps it.
struct ReadEntry {
  std::uint64_t name = 0;
  std::uint64_t bases = 0;
  std::uint64_t qualities = 0;
  std::uint32_t name_length = 0;
  std::uint32_t length = 0;         // 0 if the device has nothing to do for the read
  std::uint32_t number = 0;         // among the reads that are mapped together
  std::uint16_t max_edits = 0;      // the number of edits searched for (map/search_depth.hpp)
  std::uint16_t allowed_edits = 0;  // the read's e, which defines loci: max_edits or more
  bool has_qualities = false;
  bool too_short = false;           // see map::ShortReads
  bool searched[2] = {true, true};  // the forward strand, the reverse one

  /// Whether the CPU maps it.
  bool is_left() const { return length == 0 && !too_short; }
};

struct ReadsView {
  const char* text = nullptr;
  ReadEntry* reads = nullptr;
  std::uint32_t count = 0;
  std::uint32_t longest = 0;
  std::uint32_t most_edits = 0;    // the largest max_edits of any read
  std::uint32_t most_allowed = 0;  // the largest allowed_edits
  bool may_need_more = false;      // a read is searched for fewer edits than allowed
  const BaseBlock* strands = nullptr;
  const SetBlock* sets = nullptr;  // of the strands, if ambiguous letters match; otherwise null
  std::uint32_t stride = 0;        // blocks per strand: those of the longest read and one more

  /// The view is now of the first `size` reads; `entries` are theirs.
  void limit_to(const ReadEntry* entries, std::size_t size) {
    count = static_cast<std::uint32_t>(size);
    longest = most_edits = most_allowed = 0;
    may_need_more = false;
    for (std::size_t r = 0; r < size; ++r) {
      longest = std::max(longest, entries[r].length);
      most_edits = std::max<std::uint32_t>(most_edits, entries[r].max_edits);
      most_allowed = std::max<std::uint32_t>(most_allowed, entries[r].allowed_edits);
      may_need_more = may_need_more || entries[r].max_edits < entries[r].allowed_edits;
    }
  }
  /// Whether strand s is searched.
  TRAWL_HOST_DEVICE bool searches(std::uint64_t s) const { return reads[s / 2].searched[s % 2]; }
  TRAWL_HOST_DEVICE const BaseBlock* strand(std::uint64_t s) const { return strands + s * stride; }
  TRAWL_HOST_DEVICE const SetBlock* sets_of(std::uint64_t s) const {
    return sets == nullptr ? nullptr : sets + s * stride;
  }
};

/// Item i is block i % stride of strand i / stride.
struct EncodeStrands {
  ReadsView view;
  BaseBlock* strands;
  SetBlock* sets;  // null: not wanted

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t strand = i / view.stride;
    const ReadEntry& read = view.reads[strand / 2];
    const bool reverse = strand % 2 == 1;
    const char* bases = view.text + read.bases;
    const auto begin = static_cast<std::uint32_t>(i % view.stride) * 32;
    BaseBlock block;
    SetBlock more;  // the sets of ambiguous letters
    for (unsigned bit = 0; bit < 32 && begin + bit < read.length; ++bit) {
      const std::uint32_t at = begin + bit;
      const char letter = bases[reverse ? read.length - 1 - at : at];
      // Same as sequence::base_code(), whose table is only on the host.
      std::uint32_t code = letter == 'A' ? 0 : letter == 'C' ? 1 : letter == 'G' ? 2 : 3;
      const bool ambiguous = code == 3 && letter != 'T' && letter != 'U';
      if (ambiguous && sets != nullptr) {
        const std::uint32_t set = letter_set(letter);
        // A and T change places on the other strand, and C and G.
        more.add(reverse ? (set & 1) << 3 | (set & 2) << 1 | (set & 4) >> 1 | set >> 3 : set, 1u << bit);
      }
      code = ambiguous ? 0 : reverse ? 3 - code : code;
      block.high |= (code >> 1) << bit;
      block.low |= (code & 1) << bit;
      block.ambiguous |= static_cast<std::uint32_t>(ambiguous) << bit;
    }
    strands[i] = block;
    if (sets != nullptr) {
      SetBlock all = gpu::sets_of(block);
      TRAWL_UNROLL
      for (unsigned c = 0; c < 4; ++c) {
        all.of[c] |= more.of[c];
      }
      sets[i] = all;
    }
  }
};

}  // namespace trawl::gpu
