// The parameters of cuShiftOr, the same on the device and for its CPU twin.
#pragma once

#include <string>

#include "matchers/cushiftor_cascade.hpp"

namespace trawl::matchers {

struct CuShiftOrSettings {
  std::string pattern;     // any bytes, 1 to word_bits of them
  unsigned max_edits = 0;  // k, 0 to 8
  unsigned word_bits = 0;  // 32, 64, or 80, the exact cascade of exact_cascade.hpp; 0: the fastest that can be
  unsigned alpha = 0;      // characters a thread: 1, 2, 4, 8, 16; 0: the fastest known
  Segments segments = Segments::streamed;
  bool wildcards = true;  // skip the last addition where the pattern leaves room for it
};

/// Fills in what is 0 and switches `wildcards` off where the pattern is too long for them. Throws UsageError for what
/// cannot be.
CuShiftOrSettings resolve(CuShiftOrSettings settings);

}  // namespace trawl::matchers
