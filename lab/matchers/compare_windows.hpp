// The comparison of a few neighbouring windows one by one.
#pragma once

#include <cstdint>

#include "lab/matchers/pattern.hpp"

namespace trawl::matchers {

/// Reports the matches among all windows from `window` on that end before `end`. This is brute force; an algorithm that
/// reads characters after its window takes it for the last windows, since there is nothing to read after the text:
///
///   while (window + m < end) ...  // reads text[window + m]
///   compare_windows(table.pattern, text, window, end, emit);
template <class Text, class Emit>
TRAWL_HOST_DEVICE inline void compare_windows(const Pattern& pattern, const Text& text, std::uint64_t window,
                                              std::uint64_t end, Emit&& emit) {
  const std::uint32_t m = pattern.m;
  for (; window + m <= end; ++window) {
    if (pattern.occurs(text, window)) {
      emit(window + m - 1);
    }
  }
}

}  // namespace trawl::matchers
