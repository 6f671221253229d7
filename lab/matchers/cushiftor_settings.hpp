// The parameters of cuShiftOr, for the device and for its CPU twin.
#pragma once

#include <string>

#include "lab/matchers/cushiftor_cascade.hpp"

namespace trawl::matchers {

struct CuShiftOrSettings {
  std::string pattern;     // any bytes, 1 to word_bits of them
  unsigned max_edits = 0;  // k, 0 to 8
  unsigned word_bits = 0;  // 32, 64, or 80 for the exact cascade (cushiftor_exact.hpp); 0: the fastest possible
  unsigned alpha = 0;      // characters per thread: 1, 2, 4, 8, 16; 0: the fastest known
  Segments segments = Segments::streamed;
  bool wildcards = true;  // skip the last addition if the pattern leaves room for it
};

/// Whether this build contains the cascade for these parameters. By default it has those of the paper's experiments and
/// of the tests; with the CMake option TRAWL_ALL_VARIANTS it has all. The exact cascade (80 bits) is always there.
constexpr bool cushiftor_is_built(unsigned word_bits, unsigned alpha, [[maybe_unused]] unsigned max_edits,
                                  [[maybe_unused]] bool wildcards, Segments segments) {
  if (segments == Segments::overlapping && match::kWarpLanes * alpha <= kLongestHalo) {
    return false;  // such segments are too short to overlap
  }
#ifdef TRAWL_ALL_VARIANTS
  return word_bits == 32 || word_bits == 64;
#else
  if (alpha == 16) {
    return max_edits <= 2 || (segments == Segments::streamed && !wildcards);
  }
  return word_bits == 32 && max_edits <= 2 && wildcards;
#endif
}

/// Fills in the values that are 0. Switches `wildcards` off if the pattern is too long for them, or if this build has
/// only the form without them. Throws UsageError for values that are not possible or not in this build.
CuShiftOrSettings resolve(CuShiftOrSettings settings);

}  // namespace trawl::matchers
