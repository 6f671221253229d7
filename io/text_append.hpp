// Numbers and CIGARs as text, without a temporary string.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace trawl::io {

template <typename Integer>
void append_number(std::string& text, Integer value) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// "*" where there are no elements.
inline void append_cigar(std::string& text, const std::uint32_t* cigar, std::uint32_t elements) {
  if (elements == 0) {
    text += '*';
  }
  for (std::uint32_t i = 0; i < elements; ++i) {
    append_number(text, cigar[i] >> 4);
    text += "MIDNSHP=XB??????"[cigar[i] & 15];
  }
}

}  // namespace trawl::io
