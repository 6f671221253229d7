// The variants of cuShiftOr's cascade in this build, as constants for templates.
#pragma once

#include <stdexcept>
#include <type_traits>

#include "base/with_constant.hpp"
#include "lab/matchers/cushiftor_settings.hpp"

namespace trawl::matchers {

namespace internal {

template <unsigned kBits, Segments kSegments, unsigned kAlpha, bool kWildcards, class F>
void with_cushiftor_edits(const CuShiftOrSettings& s, F&& f) {
  with_constant<8>(s.max_edits, [&](auto edits) {
    if constexpr (cushiftor_is_built(kBits, kAlpha, decltype(edits)::value, kWildcards, kSegments)) {
      f(std::integral_constant<unsigned, kAlpha>(), edits, std::bool_constant<kWildcards>());
    } else {
      throw std::invalid_argument("settings that resolve() refuses");
    }
  });
}

template <unsigned kBits, Segments kSegments, unsigned kAlpha, class F>
void with_cushiftor_alpha(const CuShiftOrSettings& s, F&& f) {
  s.wildcards ? with_cushiftor_edits<kBits, kSegments, kAlpha, true>(s, f)
              : with_cushiftor_edits<kBits, kSegments, kAlpha, false>(s, f);
}

}  // namespace internal

/// Calls f(alpha, edits, wildcards) with integral constants, for words of kBits bits and kSegments. The settings must
/// come from resolve().
template <unsigned kBits, Segments kSegments, class F>
void with_cushiftor_variant(const CuShiftOrSettings& s, F&& f) {
  switch (s.alpha) {
    case 1:
      return internal::with_cushiftor_alpha<kBits, kSegments, 1>(s, f);
    case 2:
      return internal::with_cushiftor_alpha<kBits, kSegments, 2>(s, f);
    case 4:
      return internal::with_cushiftor_alpha<kBits, kSegments, 4>(s, f);
    case 8:
      return internal::with_cushiftor_alpha<kBits, kSegments, 8>(s, f);
    default:
      return internal::with_cushiftor_alpha<kBits, kSegments, 16>(s, f);
  }
}

}  // namespace trawl::matchers
