// The maximal suffix of a string: the suffix that comes last in the alphabetical order.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// The maximal suffix of a prefix of a string; the prefix can grow. It is found from left to right with a constant
/// amount of memory.
///
///   MaximalSuffix suffix;
///   suffix.extend(string, length);  // "abcab": start = 2, period = 3, whole_periods = 5
struct MaximalSuffix {
  std::uint32_t start = 0;          // of the suffix
  std::uint32_t period = 1;         // of the suffix
  std::uint32_t whole_periods = 1;  // where the suffix's last whole period ends
  std::uint32_t matched = 0;        // characters after it, which begin another period

  /// `string[i]` for i < length is read. kReversed: the alphabet's order is reversed.
  template <bool kReversed = false, class String>
  TRAWL_HOST_DEVICE void extend(const String& string, std::uint32_t length) {
    while (whole_periods + matched < length) {
      const auto now = string[start + matched];
      const auto next = string[whole_periods + matched];
      if (now == next) {
        if (++matched == period) {
          whole_periods += period;
          matched = 0;
        }
      } else if (kReversed ? next > now : next < now) {
        whole_periods += matched + 1;
        matched = 0;
        period = whole_periods - start;
      } else {
        start = whole_periods;
        whole_periods = start + 1;
        matched = 0;
        period = 1;
      }
    }
  }
};

}  // namespace trawl::matchers
