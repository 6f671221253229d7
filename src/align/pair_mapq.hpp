// Mapping quality of the mates of a concordant pair: the probability that a mate's place is right, among all pairs.
//
//   const MapqModel model;
//   const QualitySum alone;                                             // a mate that has no other locus
//   mate_quality(model, 0, alone, alone, 0) == 60
//   mate_quality(model, model.weight(20), alone, alone, 0) == 20        // another pair, less likely by 20 Phred
//
// The weight of a pair is 10^(-cost / 10). Its cost is that of its two alignments (align/mapq.hpp), plus that of its
// insert size. Mates at places that do not fit cost kDiscordantCost more, and all their combinations count: that is
// the product of what each mate's own loci weigh. A place beyond the allowed edits counts as in align/mapq.hpp, once
// for each mate, and it may fit any place of the other mate. All sums are integers in units of 2^-32 of the chosen
// pair's weight, so every engine computes the same quality.
#pragma once

#include <cstdint>

#include "align/mapq.hpp"
#include "align/pairing.hpp"
#include "base/host_device.hpp"

namespace trawl::align {

/// What mates that do not fit cost more than a pair of the most likely insert size: chimeras and structural variants
/// are rare, and there are very many places to be.
inline constexpr std::uint32_t kDiscordantCost = 80;

/// Pairs with more edits than this more than the chosen one do not count, nor do loci with more than this more than the
/// best of their mate. With 2, as for single reads, the mates must be searched deeper, which takes a fifth longer, and
/// the qualities up to 30 are as well calibrated (docs/record/pairs.md).
inline constexpr std::uint32_t kPairStrata = 1;

/// Sums of the weights of the concordant pairs that have another locus of the first mate, or of the second.
struct PairSums {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

/// All loci but the chosen one count against it.
struct AllOthers {
  TRAWL_HOST_DEVICE bool operator()(unsigned, std::uint32_t locus, std::uint32_t chosen) const {
    return locus != chosen;
  }
};

/// The part of the sums of the pairs with locus a of the first mate. counts_against(m, l, chosen): whether locus l
/// of mate m counts against the chosen one.
template <class Mate, class ContigAt, class CountsAgainst = AllOthers>
TRAWL_HOST_DEVICE PairSums weigh_pairs(const Pairing<Mate, ContigAt>& pairing, std::uint32_t a, const ReportRule& rule,
                                       const PairChoice& choice, const MapqModel& model,
                                       const CountsAgainst& counts_against = {}) {
  PairSums sums;
  pairing.for_each_concordant(
      a, choice.key.sum() + kPairStrata * rule.edit_points, [&](std::uint32_t b, std::uint64_t size) {
        const std::uint64_t weight = model.weight(static_cast<std::int64_t>(pairing.cost(a, b, size)) -
                                                  static_cast<std::int64_t>(choice.key.cost()));
        sums.first += counts_against(0, a, choice.first) ? weight : 0;
        sums.second += counts_against(1, b, choice.second) ? weight : 0;
      });
  return sums;
}

/// The product of two weights in units of 2^-32. Weights of 32,768 and more count as a little less.
TRAWL_HOST_DEVICE constexpr std::uint64_t weight_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 47) - 1;
  a = a < kMost ? a : kMost;
  b = b < kMost ? b : kMost;
  const std::uint64_t high_a = a >> 32;
  const std::uint64_t low_a = a & 0xffffffffu;
  const std::uint64_t high_b = b >> 32;
  const std::uint64_t low_b = b & 0xffffffffu;
  return ((high_a * high_b) << 32) + high_a * low_b + low_a * high_b + (low_a * low_b >> 32);
}

/// The mapping quality of one mate of the chosen pair. `pairs`: the sum for this mate from weigh_pairs(). `own`,
/// `mate`: the weights of the loci of each mate other than the one in the chosen pair. 0 if the place is not more
/// likely than all others together.
TRAWL_HOST_DEVICE inline unsigned mate_quality(const MapqModel& model, std::uint64_t pairs, const QualitySum& own,
                                               const QualitySum& mate, std::uint32_t insert_cost) {
  constexpr std::uint64_t kOne = MapqModel::kOne;
  const std::int64_t discordant = static_cast<std::int64_t>(kDiscordantCost) - static_cast<std::int64_t>(insert_cost);
  const std::uint64_t wrong = pairs +
                              weight_product(weight_product(own.others, kOne + mate.others), model.weight(discordant)) +
                              weight_product(own.unseen, kOne + mate.others) + weight_product(mate.unseen, own.others);
  return wrong >= kOne ? 0 : model.mapq(wrong);
}

}  // namespace trawl::align
