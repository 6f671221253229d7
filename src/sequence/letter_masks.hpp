// What the characters of a text are, 64 at a time, with the SIMD instructions of the machine.
//
//   std::string text = "acgN\n";
//   text.resize(64);
//   LetterMasks masks;
//   find_letters(text.data(), 1, &masks);
//   masks.bases == 0b00111
//   (masks.low & masks.bases) == 0b00010
//   masks.n == 0b01000
//   masks.line_ends == 0b10000
#pragma once

#include <cstddef>
#include <cstdint>

namespace trawl::sequence {

/// Bit i of a mask is for character i of 64.
struct LetterMasks {
  std::uint64_t high = 0;  // of the 2-bit codes; they have a meaning only where `bases` is set
  std::uint64_t low = 0;
  std::uint64_t bases = 0;      // A, C, G, T, U, in either case
  std::uint64_t n = 0;          // N, in either case
  std::uint64_t line_ends = 0;  // LF
  std::uint64_t headers = 0;    // '>'
};

/// Looks at 64 * `blocks` characters.
void find_letters(const char* text, std::size_t blocks, LetterMasks* masks);

}  // namespace trawl::sequence
