// A text that is a whole number and nothing else.
//
//   whole_number("1200") == 1200
//   whole_number("12x").has_value() == false
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace trawl {

/// Nothing for any other text, and for a number that T cannot hold.
template <class T = std::uint64_t>
std::optional<T> whole_number(std::string_view text) {
  T number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace trawl
