// 64 positions of a reference's bit planes, starting at any position.
#pragma once

#include <cstdint>

#include "sequence/reference.hpp"

namespace trawl::sequence {

/// The 64 bits from bit `shift` (0 to 63) of the 128-bit number with high word `next` and low word `word`.
constexpr std::uint64_t funnel_shift_right(std::uint64_t word, std::uint64_t next, unsigned shift) {
  return (word >> shift) | ((next << 1) << (63 - shift));
}

/// Positions [position, position + 64). `position` + 127 must be inside the planes.
constexpr PlaneBlock planes_at(const PlaneBlock* planes, std::uint64_t position) {
  const PlaneBlock& a = planes[position / 64];
  const PlaneBlock& b = planes[position / 64 + 1];
  const unsigned shift = position % 64;
  return {funnel_shift_right(a.high, b.high, shift), funnel_shift_right(a.low, b.low, shift)};
}

}  // namespace trawl::sequence
