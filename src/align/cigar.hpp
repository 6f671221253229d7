// CIGAR text.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace trawl::align {

/// The longest text of one element, in characters.
inline constexpr std::size_t kCigarElementText = 11;

/// Writes the elements as text to `at`, or "*" if there are none. There must be room for kCigarElementText characters
/// per element. Returns the position after the last character.
inline char* write_cigar(char* at, const std::uint32_t* cigar, std::uint32_t elements) {
  if (elements == 0) {
    *at++ = '*';
  }
  for (std::uint32_t i = 0; i < elements; ++i) {
    at = std::to_chars(at, at + 10, cigar[i] >> 4).ptr;
    *at++ = "MIDNSHP=XB??????"[cigar[i] & 15];
  }
  return at;
}

inline void append_cigar(std::string& text, const std::uint32_t* cigar, std::uint32_t elements) {
  const std::size_t before = text.size();
  text.resize(before + 1 + kCigarElementText * elements);
  text.resize(static_cast<std::size_t>(write_cigar(text.data() + before, cigar, elements) - text.data()));
}

}  // namespace trawl::align
