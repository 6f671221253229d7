// Numbers as text, without a temporary string.
#pragma once

#include <charconv>
#include <string>

namespace trawl {

template <typename Integer>
void append_number(std::string& text, Integer value) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// With `decimals` digits after the point.
inline void append_fixed(std::string& text, double value, int decimals) {
  char digits[64];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, decimals).ptr);
}

}  // namespace trawl
