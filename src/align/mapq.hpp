// Mapping quality: the posterior of the chosen locus among all loci up to kStrata edits worse.
//
// A locus weighs 10^(-cost / 10), its cost in Phred units summed over its edits. A mismatch at a base of quality Q is
// a sequencing error (10^(-Q / 10)) or a variant (1 in 1,000), one of three letters:
//   cost(Q) = -10 log10((10^(-Q / 10) + 0.001) / 3)
// The loci that may lie beyond the allowed distance count as one of max_edits + 1 average edits. All sums are integers,
// so every engine gets the same quality.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"

namespace trawl::align {

class MapqModel {
 public:
  /// The cost of an edit that no base quality speaks of: an insertion or deletion.
  static constexpr unsigned kGapCost = 35;
  /// The quality assumed where the input has none.
  static constexpr unsigned kDefaultQuality = 30;
  static constexpr unsigned kMaxMapq = 60;
  /// Loci farther than that many edits behind the chosen one are left out: of 400,000 simulated reads 166 would get
  /// another quality if they were counted, 151 of them by 1 (docs/performance.md).
  static constexpr unsigned kStrata = 2;

  MapqModel();

  /// `quality` as Phred, 0 to 93.
  TRAWL_HOST_DEVICE unsigned mismatch_cost(unsigned quality) const {
    return costs_[quality < costs_.size() ? quality : costs_.size() - 1];
  }

  /// The weight of a locus that costs `extra` more than the chosen one (less: negative), in units of 2^-32.
  TRAWL_HOST_DEVICE std::uint64_t weight(std::int64_t extra) const {
    if (extra <= 0) {
      return kOne;
    }
    return extra < static_cast<std::int64_t>(weights_.size()) ? weights_[static_cast<std::size_t>(extra)] : 0;
  }

  /// From the sum of the other loci's weights. 0 to kMaxMapq.
  TRAWL_HOST_DEVICE unsigned mapq(std::uint64_t others) const {
    const double error = static_cast<double>(others) / static_cast<double>(others + kOne);
    unsigned quality = kMaxMapq;
    while (quality > 0 && error > error_rates_[quality]) {
      --quality;
    }
    return quality;
  }

 private:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

  std::array<std::uint8_t, 94> costs_;
  std::array<std::uint64_t, 97> weights_;
  std::array<double, kMaxMapq + 1> error_rates_;
};

}  // namespace trawl::align
