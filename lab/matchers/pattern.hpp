// The pattern of an exact matcher, as a part of its table, and the comparison of a window with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// The longest pattern of a matcher, in characters, unless its facts say less.
inline constexpr unsigned kLongestPattern = 4096;

/// Let it be the last member of a table, with the name `pattern`: then only its used part is copied to the GPU.
struct Pattern {
  std::uint32_t m;                        // length
  std::uint8_t letters[kLongestPattern];  // 0 after the pattern

  void set(std::string_view pattern) {
    m = static_cast<std::uint32_t>(pattern.size());
    std::copy(pattern.begin(), pattern.end(), letters);
  }
  TRAWL_HOST_DEVICE std::uint8_t operator[](std::uint64_t i) const { return letters[i]; }
  std::size_t used_bytes() const { return offsetof(Pattern, letters) + m; }

  /// Whether the window at text position `window` has the pattern's characters [first, last). It compares from left to
  /// right; the window must lie in the text.
  template <class Text>
  TRAWL_HOST_DEVICE bool agrees(const Text& text, std::uint64_t window, std::uint32_t first, std::uint32_t last) const {
    while (first < last && text[window + first] == letters[first]) {
      ++first;
    }
    return first == last;
  }
  /// Whether the pattern occurs at `window`.
  template <class Text>
  TRAWL_HOST_DEVICE bool occurs(const Text& text, std::uint64_t window) const {
    return agrees(text, window, 0, m);
  }
};

/// "ACG" -> "GCA".
inline std::string reversed(std::string_view pattern) { return {pattern.rbegin(), pattern.rend()}; }

}  // namespace trawl::matchers
