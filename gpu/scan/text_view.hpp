// A part of a reference's bit planes, as the functions for host and device see it.
//
//   const LiteralTextView text{planes, ambiguous, 10, 20};     // positions 640 to 1279, and some more after them
//   text.planes_at(700)                                        // the letters of positions 700 to 763
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::gpu {

/// Words of 64 positions.
struct LiteralTextView {
  const sequence::PlaneBlock* planes;  // from word `first` of the reference on; two more than `last` can be read
  const std::uint64_t* ambiguous;      // the same, as Reference::ambiguous()
  std::uint64_t first;
  std::uint64_t last;

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

}  // namespace trawl::gpu
