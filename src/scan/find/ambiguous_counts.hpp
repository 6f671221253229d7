// The number of ambiguous letters in any window of a stretch of the text: says which positions are no ends because they
// lean too much on such letters (sequence/ambiguous_limit.hpp), in a constant time for each.
//
//   with: const sequence::Reference reference = reference_of("ACGTACGTNNNNACGT")
//   AmbiguousCounts counts;
//   counts.load(reference, 4, 6)                                     // words of 64 positions: 256 to 383
//   counts.view().in_window(sequence::kContigGap + 9, 8) == 2        // the 8 letters up to here: GTACGTNN
#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

struct AmbiguousCountsView {
  const std::uint64_t* is_ambiguous = nullptr;  // by word of the reference; bit i of word w: position 64 w + i
  const std::uint32_t* before = nullptr;        // of a word: ambiguous letters before it

  TRAWL_HOST_DEVICE std::uint32_t until(std::uint64_t position) const {
    return before[position / 64] + popcount(is_ambiguous[position / 64] & ((std::uint64_t{1} << (position % 64)) - 1));
  }
  /// Of the `length` positions up to `end`, or from the beginning of the reference to `end`.
  TRAWL_HOST_DEVICE std::uint32_t in_window(std::uint64_t end, std::uint32_t length) const {
    return until(end + 1) - until(end + 1 < length ? 0 : end + 1 - length);
  }
};

/// It takes 12 bytes for 64 positions and is copied to the device.
struct AmbiguousCounts {
  std::uint64_t first = 0;  // the first word
  std::vector<std::uint64_t> is_ambiguous;
  std::vector<std::uint32_t> before;

  /// Counts in the words [first, last) of 64 positions. Whether any letter in them is ambiguous; otherwise nothing is
  /// held.
  bool load(const sequence::Reference& reference, std::uint64_t first, std::uint64_t last);
  bool any() const { return !is_ambiguous.empty(); }
  AmbiguousCountsView view() const { return {is_ambiguous.data() - first, before.data() - first}; }
};

}  // namespace trawl::scan
