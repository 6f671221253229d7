// Integers as text, without a temporary string.
#pragma once

#include <charconv>
#include <string>

namespace trawl {

template <typename Integer>
void append_number(std::string& text, Integer value) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace trawl
