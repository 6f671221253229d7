// The tail of a read whose qualities say that it is full of errors.
//
//   bases_before_bad_tail("IIII", 0) == 4
//   bases_before_bad_tail(std::string(60, 'I') + std::string(20, '#'), 50) == 60
//   bases_before_bad_tail(std::string(60, 'I') + std::string(20, '#'), 61) == 80       // too few would be left
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trawl::clip {

/// Errors, in units of 1 / 10,000.
inline constexpr std::int32_t kErrorUnit = 10000;
/// The tail begins where the sum of (probability of an error - kUsualErrors) over its bases is largest: at quality 13.
inline constexpr std::int32_t kUsualErrors = kErrorUnit / 20;
/// A tail with fewer errors mostly fits within e.
inline constexpr std::int32_t kErrorsOfBadTail = 3 * kErrorUnit;

/// The number of bases before the bad tail, or of all bases if there is none, or if fewer than `least` would be left.
/// `qualities`: Phred+33.
inline std::size_t bases_before_bad_tail(std::string_view qualities, std::size_t least) {
  static const std::array<std::int32_t, 94> errors = [] {
    std::array<std::int32_t, 94> of{};
    for (std::size_t q = 0; q < of.size(); ++q) {
      of[q] = static_cast<std::int32_t>(std::lround(kErrorUnit * std::pow(10.0, -static_cast<double>(q) / 10)));
    }
    return of;
  }();
  std::int64_t sum = 0, expected = 0, most = 0, expected_there = 0;
  std::size_t before = qualities.size();
  for (std::size_t i = qualities.size(); i-- > 0 && sum > -kErrorUnit;) {
    const auto quality = static_cast<std::size_t>(qualities[i] - '!');
    const std::int32_t error = errors[quality < errors.size() ? quality : errors.size() - 1];
    expected += error;
    sum += error - kUsualErrors;
    if (sum > most) {
      most = sum;
      expected_there = expected;
      before = i;
    }
  }
  return expected_there >= kErrorsOfBadTail && before >= least ? before : qualities.size();
}

}  // namespace trawl::clip
