// The parameters of cuShiftOr, the same on the device and for its CPU twin.
#pragma once

#include <string>

#include "match/shift_or_cascade.hpp"

namespace trawl::match {

struct CuShiftOrSettings {
  std::string pattern;     // any bytes, 1 to word_bits of them
  unsigned max_edits = 0;  // k, 0 to 8
  unsigned word_bits = 0;  // 32 or 64; 0: 32 if that is enough for the pattern and its wildcards, otherwise 64
  unsigned alpha = 0;      // characters a thread: 1, 2, 4, 8, 16; 0: the fastest known
  Segments segments = Segments::disjoint;
  bool wildcards = true;  // skip the last addition where the pattern leaves room for it
};

/// Fills in what is 0 and switches `wildcards` off where the pattern is too long for them. Throws UsageError for what
/// cannot be.
CuShiftOrSettings resolve(CuShiftOrSettings settings);

}  // namespace trawl::match
