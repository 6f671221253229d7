// The Huffman codes of a deflate block (RFC 1951), checked exactly as zlib checks them.
//
//   const std::uint8_t lengths[] = {1, 2, 2};         // the codes 0, 10 and 11
//   HuffmanCode code;
//   code.build(lengths, 3) == true
//   code.longest == 2
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "io/read/gzip/input.hpp"

namespace trawl::io {

/// A canonical Huffman code, decoded bit by bit: slow, but it needs no table.
struct HuffmanCode {
  static constexpr unsigned kMaxLength = 15;

  std::array<std::uint16_t, kMaxLength + 1> count{};  // codes of each length
  std::array<std::uint16_t, 288> symbols{};           // in the order of their codes
  unsigned longest = 0;

  /// False if `lengths` (0: the symbol does not occur) is not a code. Like zlib, it accepts a code without symbols, and
  /// a single symbol of length 1.
  bool build(const std::uint8_t* lengths, std::size_t n);

  enum Special : int { kInvalid = -1, kNeedInput = -2 };
  /// The next symbol, taken from the reader. Or a Special, and then the reader is where it was.
  int decode(BitReader& reader) const;
};

inline unsigned reversed_code(unsigned code, unsigned length) {
  unsigned result = 0;
  for (unsigned i = 0; i < length; ++i) {
    result |= ((code >> i) & 1) << (length - 1 - i);
  }
  return result;
}

/// Calls each(table index, symbol, length) for all codes that are not longer than `bits`.
template <class Each>
void for_each_index(const HuffmanCode& code, unsigned bits, const Each& each) {
  unsigned next = 0;
  unsigned at = 0;
  for (unsigned length = 1; length <= std::min(code.longest, bits); ++length) {
    for (unsigned i = 0; i < code.count[length]; ++i, ++at, ++next) {
      for (unsigned index = reversed_code(next, length); index < 1U << bits; index += 1U << length) {
        each(index, code.symbols[at], length);
      }
    }
    next <<= 1;
  }
}

/// What stands at the start of a block with codes of its own.
struct BlockCodes {
  std::array<std::uint8_t, 320> lengths{};  // of the literals' and lengths' code, then of the distances' code
  unsigned literal_count = 0;
  unsigned distance_count = 0;
  HuffmanCode literals;
  HuffmanCode distances;

  enum class Result { kGood, kDamaged, kNeedInput };
  /// The reader is after the block's type. If the result is not kGood, the reader can be anywhere.
  Result read(BitReader& reader);
  void set_fixed();
};

}  // namespace trawl::io
