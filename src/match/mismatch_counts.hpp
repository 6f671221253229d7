// Counts mismatches at 64 places at once: a counter for each bit of a word, held as bit planes. For host and device.
//
//   MismatchCounts counts(2);                // up to 2 are of interest
//   counts.add(0b0111);                      // bit b: the next letter differs at place b
//   counts.add(0b0110);
//   counts.add(0b0100);
//   (counts.within() & 0b1111) == 0b1011     // place 2 has 3
//   counts.at(1) == 2
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace trawl::match {

/// `kPlanes`: bits of a counter.
template <unsigned kPlanes = 8>
class MismatchCounts {
 public:
  static constexpr std::uint32_t kMost = (1u << kPlanes) - 1;

  /// `limit`: at most kMost.
  TRAWL_HOST_DEVICE explicit MismatchCounts(std::uint32_t limit) : start_(kMost - limit) {
    TRAWL_UNROLL
    for (unsigned k = 0; k < kPlanes; ++k) {
      planes_[k] = (start_ >> k & 1) != 0 ? ~std::uint64_t{0} : 0;
    }
  }

  /// Adds 1 at each place whose bit is set.
  TRAWL_HOST_DEVICE void add(std::uint64_t differ) {
    TRAWL_UNROLL
    for (unsigned k = 0; k < kPlanes; ++k) {
      if (differ == 0) {
        return;
      }
      const std::uint64_t carry = planes_[k] & differ;
      planes_[k] ^= differ;
      differ = carry;
    }
    over_ |= differ;
  }

  /// The places with at most `limit` mismatches.
  TRAWL_HOST_DEVICE std::uint64_t within() const { return ~over_; }

  /// The mismatches of a place that is within the limit.
  TRAWL_HOST_DEVICE std::uint32_t at(unsigned place) const {
    std::uint32_t count = 0;
    TRAWL_UNROLL
    for (unsigned k = 0; k < kPlanes; ++k) {
      count |= static_cast<std::uint32_t>(planes_[k] >> place & 1) << k;
    }
    return count - start_;
  }

 private:
  // The counters begin so high that one more than the limit carries out of the last plane.
  std::uint32_t start_;
  std::uint64_t planes_[kPlanes] = {};
  std::uint64_t over_ = 0;
};

}  // namespace trawl::match
