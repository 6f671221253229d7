// Turns a number that is known only at run time into a constant for templates.
#pragma once

#include <type_traits>

namespace trawl {

/// Calls f(std::integral_constant<unsigned, value>) for a `value` from 0 to kLast. A larger value is treated as kLast.
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
