// Mapping quality: the probability that the chosen locus is the right one, among all loci up to kStrata edits worse.
//
// The weight of a locus is 10^(-cost / 10). Its cost, in Phred units, is the sum over its edits. A mismatch at a base
// of quality Q is either a sequencing error (probability 10^(-Q / 10)) or a variant (1 in 1,000), and in both cases one
// of three letters:
//   cost(Q) = -10 log10((10^(-Q / 10) + 0.001) / 3)
// Loci may exist beyond the allowed distance. All of them together count as one locus with max_edits + 1 edits of
// average cost. All sums are integers, so every engine computes the same quality.
//
// A base that a piece leaves out costs kClipCost: that a random base matches has probability 1 in 4. So among clipped
// loci the one that explains more of the read is the more likely one. A short piece may also match somewhere by chance:
// the expected number of such places counts as other loci (chance_cost()).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "align/record_writer.hpp"
#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "match/fewest_gaps.hpp"

namespace trawl::align {

class MapqModel {
 public:
  /// The cost of an edit without a base quality of its own: an insertion or deletion.
  static constexpr unsigned kGapCost = 35;
  /// The cost of a base that is left out.
  static constexpr unsigned kClipCost = 6;
  /// The quality assumed where the input has none.
  static constexpr unsigned kDefaultQuality = 30;
  static constexpr unsigned kMaxMapq = 60;
  /// Loci that are more edits than this worse than the chosen one are not counted. Counting them would change the
  /// quality of 166 of 400,000 simulated reads, of 151 of them by 1 (docs/record/map_cpu.md).
  static constexpr unsigned kStrata = 2;
  /// The same for clipped loci: their penalties differ by single bases, and five of them are an edit.
  static constexpr unsigned kClipStrata = 1;
  /// The weight of the chosen locus.
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

  MapqModel();

  /// `quality`: Phred, 0 to 93.
  TRAWL_HOST_DEVICE unsigned mismatch_cost(unsigned quality) const {
    return costs_[quality < costs_.size() ? quality : costs_.size() - 1];
  }

  /// The weight of a locus whose cost is `extra` higher than that of the chosen one (negative: lower), in units of
  /// 2^-32.
  TRAWL_HOST_DEVICE std::uint64_t weight(std::int64_t extra) const {
    if (extra <= 0) {
      return kOne;
    }
    return extra < static_cast<std::int64_t>(weights_.size()) ? weights_[static_cast<std::size_t>(extra)] : 0;
  }

  /// The mapping quality, 0 to kMaxMapq. `others`: the sum of the weights of all other loci.
  TRAWL_HOST_DEVICE unsigned mapq(std::uint64_t others) const {
    const double error = static_cast<double>(others) / static_cast<double>(others + kOne);
    unsigned quality = kMaxMapq;
    while (quality > 0 && error > error_rates_[quality]) {
      --quality;
    }
    return quality;
  }

 private:
  std::array<std::uint8_t, 94> costs_;
  std::array<std::uint64_t, 97> weights_;
  std::array<double, kMaxMapq + 1> error_rates_;
};

/// Sums up the weights of a read's loci; from the sum comes its mapping quality.
///
///   QualitySum sum;
///   sum.start(model, cost of the primary alignment, average cost of a mismatch, max_edits);
///   for each other locus with counts(its distance, the smallest one):  sum.others += sum.weight(model, its cost);
///   model.mapq(sum.others)
struct QualitySum {
  std::int64_t cost = 0;      // of the primary alignment
  std::uint64_t average = 0;  // of a mismatch
  std::uint64_t others = 0;   // sum of the weights of all other loci
  std::uint64_t unseen = 0;   // of it: the weight of the loci beyond the allowed distance

  /// Starts the sum with the loci that may exist beyond the allowed distance. `clip_cost`: the part of the cost that is
  /// for bases left out; such loci are thought to leave out as many.
  TRAWL_HOST_DEVICE void start(const MapqModel& model, std::uint64_t primary_cost, std::uint64_t average_cost,
                               std::uint32_t max_edits, std::uint64_t clip_cost = 0) {
    cost = static_cast<std::int64_t>(primary_cost);
    average = average_cost;
    unseen = weight(model, (max_edits + 1u) * average + clip_cost);
    others = unseen;
  }

  TRAWL_HOST_DEVICE std::uint64_t weight(const MapqModel& model, std::uint64_t other_cost) const {
    return model.weight(static_cast<std::int64_t>(other_cost) - cost);
  }

  /// Whether a locus counts; `best` is the smallest distance of the read, and `range` how much more counts.
  TRAWL_HOST_DEVICE static bool counts(std::uint32_t distance, std::uint32_t best,
                                       std::uint32_t range = MapqModel::kStrata) {
    return distance <= best + range;
  }
};

/// The expected number of places where a piece as good as this one matches by chance, as a cost: -10 log10 of it. A
/// base that matches costs kClipCost less places; an edit may be anywhere in the piece, of any kind; and many pieces of
/// a read are tried. `reference_cost`: 10 log10 of the positions of both strands.
///   a piece of 22 bases with 1 edit on 100 Mbp: 132 - 20 - 83 - 20 = 9, so its quality is not above 9
TRAWL_HOST_DEVICE constexpr std::int64_t chance_cost(std::uint32_t bases, std::uint32_t edits,
                                                     std::uint32_t reference_cost) {
  constexpr std::int64_t kEdit = 20;
  constexpr std::int64_t kPieces = 20;
  return std::int64_t{MapqModel::kClipCost} * bases - kEdit * edits - reference_cost - kPieces;
}

/// The average cost of a mismatch in a read. `qualities`: Phred+33, or null.
TRAWL_HOST_DEVICE inline std::uint64_t average_cost(const MapqModel& model, const char* qualities,
                                                    std::uint32_t length) {
  if (qualities == nullptr) {
    return model.mismatch_cost(MapqModel::kDefaultQuality);
  }
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < length; ++i) {
    sum += model.mismatch_cost(static_cast<unsigned>(qualities[i] - '!'));
  }
  return sum / length;
}

/// A read's qualities in the order of the strand that is aligned. Without qualities every base has kDefaultQuality.
struct StrandQualities {
  const char* qualities = nullptr;  // Phred+33, in the read's order in the file
  std::uint32_t length = 0;
  bool reverse = false;

  TRAWL_HOST_DEVICE unsigned at(std::uint32_t base) const {
    return qualities == nullptr ? MapqModel::kDefaultQuality
                                : static_cast<unsigned>(qualities[reverse ? length - 1 - base : base] - '!');
  }
};

/// The cost of the mismatches among bases [base, base + length), with base `base` at reference position `position`. For
/// `Comparison` see align/record_writer.hpp.
template <class Comparison>
TRAWL_HOST_DEVICE std::uint64_t mismatch_costs(const MapqModel& model, const Comparison& comparison,
                                               const StrandQualities& qualities, std::uint32_t base,
                                               std::uint64_t position, std::uint32_t length) {
  std::uint64_t cost = 0;
  comparison.differences(base, position, length, [&](auto bits, std::uint32_t first) {
    for (; bits != 0; bits &= bits - 1) {
      cost += model.mismatch_cost(qualities.at(first + lowest_bit(bits)));
    }
    return true;
  });
  return cost;
}

/// The cost of an alignment, added up run by run from its start.
template <class Comparison>
struct PathCost {
  const MapqModel& model;
  const Comparison& comparison;
  StrandQualities qualities;
  std::uint64_t position;  // of the next run
  std::uint32_t base = 0;
  std::uint64_t cost = 0;

  TRAWL_HOST_DEVICE void add(match::Step step, std::uint32_t length) {
    cost += step == match::Step::diagonal ? mismatch_costs(model, comparison, qualities, base, position, length)
                                          : std::uint64_t{length} * MapqModel::kGapCost;
    base += step == match::Step::deletion ? 0 : length;
    position += step == match::Step::insertion ? 0 : length;
  }
};

/// The cost of a locus that is not aligned. It is exact if the read fits the locus' leftmost end without a gap;
/// otherwise it is the distance times the average cost.
template <class Comparison, class ContigBegin>
TRAWL_HOST_DEVICE std::uint64_t locus_cost(const MapqModel& model, const Comparison& comparison,
                                           const StrandQualities& qualities, std::int64_t end, std::uint32_t distance,
                                           std::uint64_t average, const ContigBegin& contig_begin) {
  if (!fits_without_gap(comparison, qualities.length, end, distance, contig_begin)) {
    return distance * average;
  }
  return mismatch_costs(model, comparison, qualities, 0, static_cast<std::uint64_t>(end + 1 - qualities.length),
                        qualities.length);
}

}  // namespace trawl::align
