// CIGARs as text, without a temporary string.
#pragma once

#include <cstdint>
#include <string>

#include "base/append_number.hpp"

namespace trawl::io {

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
