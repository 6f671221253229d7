// 64 letters as bit planes: those of a reference from any position, and those of a short text.
//
//   planes_of("ACGT").low == 0b1010          // codes 0 to 3; the first letter is bit 0
//   planes_of("ACGT").high == 0b1100
//   funnel_shift_right(0xf0, 0x1, 4) == 0x100000000000000f
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sequence/alphabet.hpp"
#include "sequence/reference.hpp"

namespace trawl::sequence {

/// The 64 bits from bit `shift` (0 to 63) of the 128-bit number with high word `next` and low word `word`.
constexpr std::uint64_t funnel_shift_right(std::uint64_t word, std::uint64_t next, unsigned shift) {
  return (word >> shift) | ((next << 1) << (63 - shift));
}

/// 64 bits from bit `at` of `words` on. There must be a word after the one that holds that bit.
constexpr std::uint64_t bits_at(const std::uint64_t* words, std::uint64_t at) {
  return funnel_shift_right(words[at / 64], words[at / 64 + 1], at % 64);
}

/// Positions [position, position + 64). `position` + 127 must be inside the planes.
constexpr PlaneBlock planes_at(const PlaneBlock* planes, std::uint64_t position) {
  const PlaneBlock& a = planes[position / 64];
  const PlaneBlock& b = planes[position / 64 + 1];
  const unsigned shift = position % 64;
  return {funnel_shift_right(a.high, b.high, shift), funnel_shift_right(a.low, b.low, shift)};
}

/// The letters of a block whose base is in the set (bit 0 = A .. bit 3 = T).
constexpr std::uint64_t letters_of_set(const PlaneBlock& text, unsigned set) {
  return ((set & 1) != 0 ? ~text.high & ~text.low : 0) | ((set & 2) != 0 ? ~text.high & text.low : 0) |
         ((set & 4) != 0 ? text.high & ~text.low : 0) | ((set & 8) != 0 ? text.high & text.low : 0);
}

/// The planes of up to 64 letters. The bits of letters that are not A, C, G or T, and after the last letter, are 0.
inline PlaneBlock planes_of(std::string_view bases) {
  PlaneBlock block{};
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const std::uint64_t code = base_code(bases[i]);
    block.high |= (code >> 1 & 1) << i;
    block.low |= (code & 1) << i;
  }
  return block;
}

}  // namespace trawl::sequence
