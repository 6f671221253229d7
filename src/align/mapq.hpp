// Mapping quality: the probability that the chosen locus is the right one, among all loci up to kStrata edits worse.
//
// The weight of a locus is 10^(-cost / 10). Its cost, in Phred units, is the sum over its edits. A mismatch at a base
// of quality Q is either a sequencing error (probability 10^(-Q / 10)) or a variant (1 in 1,000), and in both cases one
// of three letters:
//   cost(Q) = -10 log10((10^(-Q / 10) + 0.001) / 3)
// With --damage, C read as T (and G read as A) may also be damage, with the rate of its place in the read
// (align/damage.hpp), so cost(Q, i) = -10 log10((10^(-Q / 10) + 0.001) / 3 + rate(i)).
// A gap is one event, whatever its length: kGapCost for its first base, and kLongerGapCost for each further one. So a
// deletion of 6 bases costs 50, and six mismatches of quality 30 cost 174.
//
// Loci may exist beyond the allowed distance, where nobody looked. Few reads have one (kUnseenCost). It is thought to
// have max_edits + 1 edits of average cost, and never to be more likely than the chosen locus: a locus that was found
// is not judged by one that is only imagined. With --damage it is thought to have the edits of the chosen locus, and
// damage in place of each edit that was allowed besides: of the right places that were not found, most are such. All
// sums are integers, so every engine computes the same quality.
//
// A base that a piece leaves out costs kClipCost: that a random base matches has probability 1 in 4. So among clipped
// loci the one that explains more of the read is the more likely one. A short piece may also match somewhere by chance:
// the expected number of such places counts as other loci (chance_cost()).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "align/damage.hpp"
#include "align/record_writer.hpp"
#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "match/fewest_gaps.hpp"

namespace trawl::align {

class MapqModel {
 public:
  /// The cost of a gap of one base.
  static constexpr unsigned kGapCost = 35;
  /// The cost of each further base of a gap: each one halves the probability.
  static constexpr unsigned kLongerGapCost = 3;
  /// The probability that a read with one locus has another one just beyond the allowed distance. Among 20,000 reads of
  /// 150 bases of human chromosomes 20 and X, 0.50 to 0.66% of those with one locus up to e edits had one with e + 1,
  /// for every e from 0 to 7: 22 to 23 Phred.
  static constexpr unsigned kUnseenCost = 22;
  /// The cost of a base that is left out.
  static constexpr unsigned kClipCost = 6;
  /// The quality assumed where the input has none.
  static constexpr unsigned kDefaultQuality = 30;
  static constexpr unsigned kMaxMapq = 60;
  /// Loci that are more edits than this worse than the chosen one are not counted. Counting them would change the
  /// quality of 166 of 400,000 simulated reads, of 151 of them by 1 (docs/record/map.md).
  static constexpr unsigned kStrata = 2;
  /// The same for clipped loci: their penalties differ by single bases, and five of them are an edit.
  static constexpr unsigned kClipStrata = 1;
  /// The weight of the chosen locus.
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

  explicit MapqModel(const DamageRates& damage = {});

  /// `quality`: Phred, 0 to 93.
  TRAWL_HOST_DEVICE unsigned mismatch_cost(unsigned quality) const {
    return costs_[quality < costs_.size() ? quality : costs_.size() - 1];
  }
  /// What damage costs on average.
  TRAWL_HOST_DEVICE unsigned damage_cost() const { return damage_cost_; }
  /// Whether mismatches that may be damage cost less.
  TRAWL_HOST_DEVICE bool weighs_damage() const { return weighs_damage_; }
  /// The cost of a mismatch at base `base` of the `length` of a read, with these letters on the forward strand.
  TRAWL_HOST_DEVICE unsigned mismatch_cost(unsigned quality, char reference, char read, std::uint32_t base,
                                           std::uint32_t length, bool reverse) const {
    const bool from_left = reference == 'C' && read == 'T';
    const bool from_right = reference == 'G' && read == 'A';
    const std::uint32_t right = length - 1 - base;
    std::uint32_t i = from_left ? base : right;
    if (single_stranded_) {
      i = base < right ? base : right;
    }
    if (single_stranded_ ? !(reverse ? from_right : from_left) : !from_left && !from_right) {
      return mismatch_cost(quality);
    }
    const auto& costs = damaged_costs_[i < kDamagedBases ? i : kDamagedBases - 1];
    return costs[quality < costs.size() ? quality : costs.size() - 1];
  }

  /// The weight of a locus whose cost is `extra` higher than that of the chosen one (negative: lower), in units of
  /// 2^-32.
  TRAWL_HOST_DEVICE std::uint64_t weight(std::int64_t extra) const {
    if (extra <= 0) {
      return kOne;
    }
    return extra < static_cast<std::int64_t>(weights_.size()) ? weights_[static_cast<std::size_t>(extra)] : 0;
  }

  /// The cost of a gap of `bases` bases, at least one.
  TRAWL_HOST_DEVICE static std::uint64_t gap_cost(std::uint32_t bases) {
    return kGapCost + std::uint64_t{kLongerGapCost} * (bases - 1);
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
  std::array<std::array<std::uint8_t, 94>, kDamagedBases> damaged_costs_{};
  unsigned damage_cost_ = 0;
  bool weighs_damage_ = false;
  bool single_stranded_ = false;
  std::array<std::uint64_t, 97> weights_;
  std::array<double, kMaxMapq + 1> error_rates_;
};

/// Sums up the weights of a read's loci; from the sum comes its mapping quality.
///
///   const MapqModel model;
///   QualitySum sum;
///   sum.start(model, 32, 1, 32, 5);          // primary alignment: its cost and edits; a mismatch costs 32; e = 5
///   sum.quality(model) == 60
///   sum.others += sum.weight(model, 45);     // another locus
///   sum.quality(model) == 13
struct QualitySum {
  std::int64_t cost = 0;        // of the primary alignment
  std::int64_t edits_cost = 0;  // of it: without the bases left out
  std::uint32_t edits = 0;      // of the primary alignment
  std::uint64_t average = 0;    // of a mismatch
  std::uint64_t others = 0;     // sum of the weights of all other loci
  std::uint64_t unseen = 0;     // of it: the weight of the loci beyond the allowed distance

  /// Starts the sum with the loci that may exist beyond the allowed distance. `clip_cost`: the part of the cost that is
  /// for bases left out; such loci are thought to leave out as many.
  TRAWL_HOST_DEVICE void start(const MapqModel& model, std::uint64_t primary_cost, std::uint32_t primary_edits,
                               std::uint64_t average_cost, std::uint32_t max_edits, std::uint64_t clip_cost = 0) {
    cost = static_cast<std::int64_t>(primary_cost);
    edits_cost = cost - static_cast<std::int64_t>(clip_cost);
    edits = primary_edits;
    average = average_cost;
    const std::int64_t extra = model.weighs_damage()
                                   ? (std::int64_t{max_edits} - edits) * model.damage_cost()
                                   : static_cast<std::int64_t>((max_edits + 1u) * average + clip_cost) - cost;
    unseen = model.weight(MapqModel::kUnseenCost + (extra > 0 ? extra : 0));
    others = unseen;
  }

  TRAWL_HOST_DEVICE std::uint64_t weight(const MapqModel& model, std::int64_t other_cost) const {
    return model.weight(other_cost - cost);
  }

  /// What a number of edits costs if nothing else is known of them: they are taken to be those of the primary
  /// alignment, and mismatches.
  TRAWL_HOST_DEVICE std::int64_t likely_cost(std::uint32_t other_edits) const {
    return edits_cost + (static_cast<std::int64_t>(other_edits) - edits) * static_cast<std::int64_t>(average);
  }

  /// The mapping quality of a read with one best locus: at least 1, since 0 says that there are several.
  TRAWL_HOST_DEVICE unsigned quality(const MapqModel& model) const {
    const unsigned quality = model.mapq(others);
    return quality > 0 ? quality : 1;
  }

  /// Whether a locus counts; `best` is the smallest distance of the read, and `range` how much more counts.
  TRAWL_HOST_DEVICE static bool counts(std::uint32_t distance, std::uint32_t best,
                                       std::uint32_t range = MapqModel::kStrata) {
    return distance <= best + range;
  }
};

/// The expected number of places where a piece as good as this one matches by chance, as a cost: -10 log10 of it. Each
/// base that matches adds kClipCost; an edit may be anywhere in the piece, of any kind; and many pieces of a read are
/// tried. `reference_cost`: 10 log10 of the positions of both strands.
///
///   chance_cost(22, 1, 83) == 132 - 20 - 83 - 20      // 22 bases, 1 edit, 100 Mbp: the quality is at most 9
TRAWL_HOST_DEVICE constexpr std::int64_t chance_cost(std::uint32_t bases, std::uint32_t edits,
                                                     std::uint32_t reference_cost) {
  constexpr std::int64_t kEdit = 20;
  constexpr std::int64_t kPieces = 20;
  return std::int64_t{MapqModel::kClipCost} * bases - kEdit * edits - reference_cost - kPieces;
}

/// The largest quality of a place that was found by the words that match there (rescue/anchors.hpp): the right place
/// may have no such word. `bases`: of the read, beside a base of the reference. Measured on human chromosome 20, reads
/// of 100, 150 and 250 bases with 8 to 10% errors. A piece with an edit in 20 bases at most has such words everywhere;
/// but if it is less than half of the read, the rest may belong to another place.
///   most_quality_by_anchors(75, 115, 150) == 22
///   most_quality_by_anchors(75, 75, 150) == 60
TRAWL_HOST_DEVICE constexpr std::uint8_t most_quality_by_anchors(std::int64_t score, std::int64_t bases,
                                                                 std::int64_t length) {
  constexpr std::int64_t kMost = MapqModel::kMaxMapq;
  const bool fits = 4 * (bases - score) <= bases;
  const std::int64_t of_piece = 2 * bases >= length ? kMost : bases - 20;
  const std::int64_t quality = fits ? of_piece : (300 * score / length + score) / 5 - 23;
  return static_cast<std::uint8_t>(quality < 0 ? 0 : quality > kMost ? kMost : quality);
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

/// For the costs of loci beside which no alignment is known: see locus_cost().
TRAWL_HOST_DEVICE inline QualitySum unweighed(const MapqModel& model, const char* qualities, std::uint32_t length) {
  QualitySum sum;
  sum.average = average_cost(model, qualities, length);
  return sum;
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
      const std::uint32_t at = first + lowest_bit(bits);
      cost += model.weighs_damage() ? model.mismatch_cost(qualities.at(at), comparison.letter(position + (at - base)),
                                                          comparison.base(at), at, qualities.length, qualities.reverse)
                                    : model.mismatch_cost(qualities.at(at));
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
                                          : MapqModel::gap_cost(length);
    base += step == match::Step::deletion ? 0 : length;
    position += step == match::Step::insertion ? 0 : length;
  }
};

/// The mismatches among at most 32 bases from base `base` on, which lies at `position`. Bit b: base `base` + b.
template <class Comparison>
TRAWL_HOST_DEVICE std::uint32_t mismatch_bits(const Comparison& comparison, std::uint32_t base, std::int64_t position,
                                              std::uint32_t length) {
  std::uint32_t mismatches = 0;
  comparison.differences(base, static_cast<std::uint64_t>(position), length, [&](auto bits, std::uint32_t first) {
    mismatches |= static_cast<std::uint32_t>(first < base ? bits >> (base - first) : bits << (first - base));
    return true;
  });
  return mismatches;
}

/// Whether a read fits with one gap and exactly `mismatches` mismatches, which are the fewest possible, with its last
/// base at `end`. `shift`: bases that the gap inserts, or minus those that it deletes.
template <class Comparison>
TRAWL_HOST_DEVICE bool fits_with_gap(const Comparison& comparison, std::uint32_t length, std::int64_t end,
                                     std::int32_t shift, std::uint32_t mismatches, std::int64_t contig_begin) {
  // Base i lies at left + i before the gap, at right + i after it.
  const std::int64_t right = end + 1 - static_cast<std::int64_t>(length);
  const std::int64_t left = right + shift;
  const std::uint32_t inserted = shift > 0 ? static_cast<std::uint32_t>(shift) : 0;
  if (left < contig_begin || length <= inserted) {
    return false;
  }
  const std::uint32_t bases = length - inserted;
  // The longest part before the gap. Most shifts are wrong, and end here after a few bases.
  std::uint32_t before = bases;
  std::uint32_t found = 0;
  comparison.differences(0, static_cast<std::uint64_t>(left), bases, [&](auto bits, std::uint32_t first) {
    for (; bits != 0; bits &= bits - 1) {
      if (found++ == mismatches) {
        before = first + lowest_bit(bits);
        return false;
      }
    }
    return true;
  });
  std::uint32_t after = 0;  // mismatches after it
  comparison.differences(before + inserted, static_cast<std::uint64_t>(right + before + inserted), bases - before,
                         [&](auto bits, std::uint32_t) {
                           after += popcount(bits);
                           return after <= mismatches;
                         });
  if (after > mismatches) {
    return false;
  }
  // Moves the gap to the left, from there to the first base, and keeps the count of all mismatches.
  std::uint32_t sum = after + (found < mismatches ? found : mismatches);
  for (std::uint32_t last = before; sum != mismatches && last > 0;) {
    const std::uint32_t count = last < 32 ? last : 32;
    const std::uint32_t base = last - count;
    const std::uint32_t left_bits = mismatch_bits(comparison, base, left + base, count);
    const std::uint32_t right_bits = mismatch_bits(comparison, base + inserted, right + base + inserted, count);
    for (std::uint32_t b = count; sum != mismatches && b-- > 0;) {
      sum += (right_bits >> b & 1u) - (left_bits >> b & 1u);
    }
    last = base;
  }
  return sum == mismatches;
}

/// The cost of the edits of a locus that is not aligned, beside the alignment that `sum` was started for. It is exact
/// if the read fits without a gap at one of the ends `end` to `end` + `spread` (Locus). If it fits at the first of them
/// with one gap, it is the cost of that gap (of several, the longest) and of mismatches of average cost. Otherwise it
/// is the likely cost.
template <class Comparison, class ContigBegin>
TRAWL_HOST_DEVICE std::int64_t locus_cost(const MapqModel& model, const QualitySum& sum, const Comparison& comparison,
                                          const StrandQualities& qualities, std::int64_t end, std::uint32_t spread,
                                          std::uint32_t edits, const ContigBegin& contig_begin) {
  const std::uint32_t length = qualities.length;
  for (std::int64_t last = end; last <= end + std::int64_t{spread}; ++last) {
    if (fits_without_gap(comparison, length, last, edits, contig_begin)) {
      return static_cast<std::int64_t>(
          mismatch_costs(model, comparison, qualities, 0, static_cast<std::uint64_t>(last + 1 - length), length));
    }
  }
  const auto begin = static_cast<std::int64_t>(contig_begin());
  for (std::uint32_t gap = edits; gap > 0; --gap) {
    const auto bases = static_cast<std::int32_t>(gap);
    if (fits_with_gap(comparison, length, end, -bases, edits - gap, begin) ||
        fits_with_gap(comparison, length, end, bases, edits - gap, begin)) {
      return static_cast<std::int64_t>(MapqModel::gap_cost(gap) + (edits - gap) * sum.average);
    }
  }
  return sum.likely_cost(edits);
}

}  // namespace trawl::align
