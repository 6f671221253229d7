// A reference's bit planes, or a part of them, as functions for host and device see it.
//
//   with: const sequence::Reference& reference
//   const TextView text(reference);
//   const sequence::PlaneBlock letters = text.planes_at(700);     // of positions 700 to 763
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/host_device.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

/// Words of 64 positions.
struct TextView {
  const sequence::PlaneBlock* planes;  // from word `first` of the reference on; two more than `last` can be read
  const std::uint64_t* ambiguous;      // the same, as Reference::ambiguous()
  std::uint64_t first;
  std::uint64_t last;

  TRAWL_HOST_DEVICE TextView(const sequence::PlaneBlock* from_planes, const std::uint64_t* from_ambiguous,
                             std::uint64_t from, std::uint64_t to)
      : planes(from_planes), ambiguous(from_ambiguous), first(from), last(to) {}
  /// All of the reference.
  explicit TextView(const sequence::Reference& reference)
      : TextView(reference.planes().data(), reference.ambiguous().data(), 0,
                 std::max<std::uint64_t>(reference.size() / 64, 2) - 2) {}

  /// 64 letters from a position on.
  TRAWL_HOST_DEVICE sequence::PlaneBlock planes_at(std::uint64_t position) const {
    return sequence::planes_at(planes, position - 64 * first);
  }
  /// Which of them are ambiguous.
  TRAWL_HOST_DEVICE std::uint64_t ambiguous_at(std::uint64_t position) const {
    const std::uint64_t* const word = ambiguous + (position / 64 - first);
    return sequence::funnel_shift_right(word[0], word[1], position % 64);
  }
};

/// Words [first, last) of 64 positions.
struct WordRange {
  std::uint64_t first;
  std::uint64_t last;
};

}  // namespace trawl::scan
