// A number that is known only when the program runs, as a constant that templates can take.
#pragma once

#include <type_traits>

namespace trawl {

/// Calls f(std::integral_constant<unsigned, value>) for a `value` of 0 to kLast; larger ones count as kLast.
template <unsigned kLast, unsigned kValue = 0, class F>
decltype(auto) with_constant(unsigned value, F&& f) {
  if constexpr (kValue < kLast) {
    if (value != kValue) {
      return with_constant<kLast, kValue + 1>(value, f);
    }
  }
  return f(std::integral_constant<unsigned, kValue>());
}

}  // namespace trawl
