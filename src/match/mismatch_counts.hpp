// Counts mismatches at 64 places at once: a counter for each bit of a word, held as bit planes.
//
//   MismatchCounts counts(2);                // up to 2 are of interest
//   counts.add(0b0111);                      // bit b: the next letter differs at place b
//   counts.add(0b0110);
//   counts.add(0b0100);
//   (counts.within() & 0b1111) == 0b1011     // place 2 has 3
//   counts.at(1) == 2
#pragma once

#include <array>
#include <cstdint>

namespace trawl::match {

class MismatchCounts {
 public:
  static constexpr std::uint32_t kMost = 255;

  /// `limit`: at most kMost.
  explicit MismatchCounts(std::uint32_t limit) : start_(kMost - limit) {
    for (unsigned k = 0; k < kPlanes; ++k) {
      planes_[k] = (start_ >> k & 1) != 0 ? ~std::uint64_t{0} : 0;
    }
  }

  /// Adds 1 at each place whose bit is set.
  void add(std::uint64_t differ) {
    for (unsigned k = 0; k < kPlanes && differ != 0; ++k) {
      const std::uint64_t carry = planes_[k] & differ;
      planes_[k] ^= differ;
      differ = carry;
    }
    over_ |= differ;
  }

  /// The places with at most `limit` mismatches.
  std::uint64_t within() const { return ~over_; }

  /// The mismatches of a place that is within the limit.
  std::uint32_t at(unsigned place) const {
    std::uint32_t count = 0;
    for (unsigned k = 0; k < kPlanes; ++k) {
      count |= static_cast<std::uint32_t>(planes_[k] >> place & 1) << k;
    }
    return count - start_;
  }

 private:
  static constexpr unsigned kPlanes = 8;

  // The counters begin so high that one more than the limit carries out of the last plane.
  std::uint32_t start_;
  std::array<std::uint64_t, kPlanes> planes_{};
  std::uint64_t over_ = 0;
};

}  // namespace trawl::match
