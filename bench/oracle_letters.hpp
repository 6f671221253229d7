// How the oracles compare letters. A text letter is one bit; a pattern letter is the set of text letters it matches.
#pragma once

#include <cstdint>

#include "src/sequence/alphabet.hpp"

namespace trawl::bench {

inline constexpr std::uint8_t kAmbiguousText = 1 << 4;
inline constexpr std::uint8_t kMatchesNothing = 0;
inline constexpr std::uint8_t kMatchesAll = 0b11111;

inline std::uint8_t text_bit(char letter) {
  const auto code = sequence::base_code(letter);
  return code == sequence::kAmbiguous ? kAmbiguousText : static_cast<std::uint8_t>(1 << code);
}

inline std::uint8_t pattern_set(char letter) {
  const auto code = sequence::base_code(letter);
  return code == sequence::kAmbiguous ? kMatchesNothing : static_cast<std::uint8_t>(1 << code);
}

}  // namespace trawl::bench
