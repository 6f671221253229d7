// The concordant pairs of two mates, on host and device: which loci may form pairs, which do, and which pair is the
// primary one. Pairing is asked for one locus of the first mate at a time, so a device has a thread for each of them.
//
//   PairKey::of(2, 900).value < PairKey::of(3, 0).value       // fewer edits are better, whatever the costs
//   const ReportRule best;
//   sum_limit(best, 1, 3) == 4                                // up to this sum the loci of pairs are aligned
//   report_limit(best, 3, 4) == 3                             // up to this sum pairs are reported
//   kind_of(false, true, true) == PairKind::discordant
//
// A pair is judged by its two alignments, and an alignment is known only after its path was searched, which is costly.
// So there are two steps. First, from ends and distances alone: which pairs are possible, and which are certain. Then,
// for loci whose alignments are known: which pairs are concordant.
//
// A `Mate` gives the loci of a mate, those of the forward strand first, each strand's in ascending order:
//   shortest(), longest()   the least and most bases that a locus can cover
//   count(), first_reverse()
//   end(i), distance(i)     as in Locus
//   spread(i)               the alignment ends at one of end(i) .. end(i) + spread(i)
//   reach(i)                end(i) + spread(i) or more, and never descending from one i of a strand to the next
//   length(i), edits(i)     bases of the read that are aligned; their edits
//   is_aligned(i), extent(i), cost(i)     of its alignment, if that is known
//   contig_at(position), has_circles()    a contig; whether any of them has letters that are repeated
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/mapq.hpp"
#include "align/pair_rule.hpp"
#include "align/select.hpp"
#include "base/host_device.hpp"

namespace trawl::align {

/// Positions [begin, end) of a contig.
struct ContigRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t repeated = 0;  // sequence::Topology::repeated

  /// The length of a circular contig; 0: it is not.
  TRAWL_HOST_DEVICE std::int64_t circle() const {
    return repeated > 0 ? static_cast<std::int64_t>(end - begin - 2 * repeated) : 0;
  }
};

/// No limit for the sum of the edits of a pair.
inline constexpr std::uint32_t kAnySum = ~std::uint32_t{0};

/// The rank of a pair, smaller is better: first the sum of edits, then the cost.
///
/// The insert size alone, without the alignments' costs, would put 26 more of 2,000,000 simulated mates at a wrong
/// place (docs/record/pairs.md).
struct PairKey {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t value = kNone;

  TRAWL_HOST_DEVICE static PairKey of(std::uint32_t sum, std::uint64_t cost) {
    return {std::uint64_t{sum} << kCostBits | cost};
  }
  TRAWL_HOST_DEVICE bool found() const { return value != kNone; }
  TRAWL_HOST_DEVICE std::uint32_t sum() const { return static_cast<std::uint32_t>(value >> kCostBits); }
  TRAWL_HOST_DEVICE std::uint64_t cost() const { return value & ((std::uint64_t{1} << kCostBits) - 1); }

 private:
  static constexpr unsigned kCostBits = 40;
};

/// Pairs with a smaller or larger insert size may be skipped.
struct WantedSizes {
  std::uint32_t least = 0;
  std::uint32_t most = ~std::uint32_t{0};
};

template <class Mate>
class Pairing {
 public:
  TRAWL_HOST_DEVICE Pairing(Orientation orientation, const InsertModel& inserts, const Mate& first, const Mate& second)
      : orientation_(orientation), inserts_(inserts), first_(first), second_(second) {}

  /// The Phred cost of a pair: that of its alignments and that of its insert size.
  TRAWL_HOST_DEVICE std::uint64_t cost(std::uint32_t a, std::uint32_t b, std::uint64_t insert) const {
    return first_.cost(a) + second_.cost(b) + inserts_.cost(insert);
  }
  /// The sum of the distances of a pair.
  TRAWL_HOST_DEVICE std::uint32_t sum(std::uint32_t a, std::uint32_t b) const {
    return first_.distance(a) + second_.distance(b);
  }
  TRAWL_HOST_DEVICE PairKey key(std::uint32_t a, std::uint32_t b, std::uint64_t insert) const {
    return PairKey::of(sum(a, b), cost(a, b, insert));
  }

  /// Calls visit(b, certain) for each locus b of the second mate that may form a concordant pair with locus a of the
  /// first, ascending. `certain`: it does, whichever alignments the loci have.
  template <class Visit>
  TRAWL_HOST_DEVICE void for_each_possible(std::uint32_t a, const Visit& visit) const {
    for_each_near(a, [&](std::uint32_t b, const Bounds& of_a, const Bounds& of_b, bool a_is_left, std::int64_t) {
      const Bounds& left = a_is_left ? of_a : of_b;
      const Bounds& right = a_is_left ? of_b : of_a;
      const std::int64_t least = larger(left.end_min, right.end_min) - smaller(left.begin_max, right.begin_max);
      const std::int64_t most = larger(left.end_max, right.end_max) - smaller(left.begin_min, right.begin_min);
      if (most < inserts_.min || least > static_cast<std::int64_t>(inserts_.max) ||
          (right.begin_max < left.begin_min && right.end_max < left.end_min)) {
        return;
      }
      const bool may_dovetail = right.begin_min < left.begin_max && right.end_min < left.end_max;
      visit(b, least >= static_cast<std::int64_t>(inserts_.min) && most <= static_cast<std::int64_t>(inserts_.max) &&
                   !may_dovetail);
    });
  }

  /// The same for concordant pairs whose sum of edits is at most `most_edits`: visit(b, insert size). The loci of all
  /// such pairs must be aligned.
  template <class Visit>
  TRAWL_HOST_DEVICE void for_each_concordant(std::uint32_t a, std::uint32_t most_edits, const Visit& visit,
                                             const WantedSizes& wanted = {}) const {
    if (!first_.is_aligned(a)) {
      return;
    }
    const Extent here = first_.extent(a);
    const std::uint32_t edits = first_.distance(a);
    for_each_near(
        a,
        [&](std::uint32_t b, const Bounds&, const Bounds&, bool, std::int64_t turn) {
          if (edits + second_.distance(b) <= most_edits && second_.is_aligned(b)) {
            Extent extent = here;
            Extent other = second_.extent(b);
            Extent& moved = turn < 0 ? extent : other;  // never to positions below 0
            moved.begin += static_cast<std::uint64_t>(turn < 0 ? -turn : turn);
            moved.end += static_cast<std::uint64_t>(turn < 0 ? -turn : turn);
            if (is_concordant(orientation_, inserts_, extent, other)) {
              visit(b, outer_distance(extent, other));
            }
          }
        },
        wanted);
  }

 private:
  // Where an alignment begins and ends (after its last base), at least and at most.
  struct Bounds {
    std::int64_t begin_min, begin_max, end_min, end_max;
  };

  TRAWL_HOST_DEVICE static std::int64_t larger(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
  TRAWL_HOST_DEVICE static std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

  TRAWL_HOST_DEVICE static Bounds bounds(const Mate& mate, std::uint32_t i, std::int64_t turn = 0) {
    const std::int64_t end = static_cast<std::int64_t>(mate.end(i)) + 1 + turn;
    const std::int64_t last = end + mate.spread(i);
    const std::int64_t length = mate.length(i);
    const std::int64_t edits = mate.edits(i);
    return {end - length - edits, last - length + edits, end, last};
  }

  // Calls visit(b, bounds of a, bounds of b, whether a must be on the left, turn) for the loci of the second mate that
  // lie on the right strand of the same contig, and not too far away. `turn`: 0, or where b lies on the other side of
  // the origin of a circular contig, what must be added to its positions; each b is visited once, and in ascending
  // order.
  template <class Visit>
  TRAWL_HOST_DEVICE void for_each_near(std::uint32_t a, const Visit& visit, const WantedSizes& wanted = {}) const {
    const bool a_reverse = a >= first_.first_reverse();
    const bool b_reverse = (orientation_ == Orientation::ff) == a_reverse;
    const bool a_is_left = first_is_left(orientation_, a_reverse);
    const std::uint32_t begin = b_reverse ? second_.first_reverse() : 0;
    const std::uint32_t end = b_reverse ? second_.count() : second_.first_reverse();
    if (begin == end) {
      return;
    }
    const Bounds of_a = bounds(first_, a);
    const std::int64_t most = inserts_.max;
    const std::int64_t shortest = second_.shortest();
    const std::int64_t longest = second_.longest();
    // Bounds of b's first and last end. The right mate must not both begin and end before the left one.
    std::int64_t lowest = of_a.end_min - most + shortest - 1;
    std::int64_t highest = of_a.begin_max + most - 1;
    if (a_is_left) {
      lowest = larger(lowest, smaller(of_a.end_min, of_a.begin_min + shortest) - 1);
    } else {
      highest = smaller(highest, larger(of_a.end_max, of_a.begin_max + longest) - 1);
    }
    const auto visit_between = [&](std::int64_t from, std::int64_t to, std::int64_t least, std::int64_t turn) {
      std::uint32_t b = begin;  // becomes the first locus that may end at `from` or later
      for (std::uint32_t count = end - begin; count > 0;) {
        const std::uint32_t half = count / 2;
        const bool before = static_cast<std::int64_t>(second_.reach(b + half)) < from;
        b = before ? b + half + 1 : b;
        count = before ? count - half - 1 : half;
      }
      if (b == end || static_cast<std::int64_t>(second_.end(b)) > to) {
        return;
      }
      const ContigRange contig = first_.contig_at(first_.end(a));
      for (; b < end && static_cast<std::int64_t>(second_.end(b)) <= to; ++b) {
        if (second_.end(b) >= contig.begin && second_.end(b) < contig.end &&
            static_cast<std::int64_t>(second_.end(b)) >= least) {
          visit(b, of_a, bounds(second_, b, turn), a_is_left, turn);
        }
      }
    };
    const std::int64_t circle = first_.has_circles() ? first_.contig_at(first_.end(a)).circle() : 0;
    if (circle == 0) {
      limit_to(wanted, of_a, a_is_left, lowest, highest);
      visit_between(lowest, highest, 0, 0);
      return;
    }
    // Once round, from `first` on. Where a is on the left, ends a little before `lowest` may still belong to b.
    const std::int64_t first = a_is_left ? lowest - smaller(circle / 4, 512) : highest - circle + 1;
    for (std::int64_t turn = circle; turn >= -circle; turn -= circle) {
      visit_between(lowest - turn, smaller(highest, first + circle - 1) - turn, first - turn, turn);
    }
  }

  // Leaves out those ends of b that give no wanted insert size.
  TRAWL_HOST_DEVICE void limit_to(const WantedSizes& wanted, const Bounds& of_a, bool a_is_left, std::int64_t& lowest,
                                  std::int64_t& highest) const {
    const std::int64_t longest = second_.longest();
    if (wanted.most < inserts_.max) {
      lowest = larger(lowest, of_a.end_min - wanted.most + second_.shortest() - 1);
      highest = smaller(highest, of_a.begin_max + wanted.most - 1);
    }
    // If the insert size is larger than either mate, it begins with the left mate and ends with the right one.
    const std::int64_t least = wanted.least;
    if (least > longest && least > of_a.end_max - of_a.begin_min) {
      if (a_is_left) {
        lowest = larger(lowest, of_a.begin_min + least - 1);
      } else {
        highest = smaller(highest, of_a.end_max - least + longest - 1);
      }
    }
  }

  Orientation orientation_;
  const InsertModel& inserts_;
  const Mate& first_;
  const Mate& second_;
};

/// Up to which sum of edits the loci of pairs must be aligned. `smallest`: the smallest sum of the pairs that are
/// certain, or kAnySum. `quality_strata`: pairs with up to this number of edits more than the best matter for the
/// quality.
TRAWL_HOST_DEVICE constexpr std::uint32_t sum_limit(const ReportRule& rule, std::uint32_t quality_strata,
                                                    std::uint32_t smallest) {
  if (rule.report == Report::all || smallest == kAnySum) {
    return kAnySum;
  }
  return smallest + (rule.report == Report::strata && rule.strata > quality_strata ? rule.strata : quality_strata) *
                        rule.edit_points;
}

/// The largest sum of edits of the pairs that the rule reports, if `smallest` is that of the best pair and `limit`
/// comes from sum_limit().
TRAWL_HOST_DEVICE constexpr std::uint32_t report_limit(const ReportRule& rule, std::uint32_t smallest,
                                                       std::uint32_t limit) {
  return rule.report == Report::all      ? limit
         : rule.report == Report::strata ? smallest + rule.strata * rule.edit_points
                                         : smallest;
}

/// The primary pair of two mates, and how many pairs they have. Among the best pairs in canonical order (ascending loci
/// of the first mate, then of the second) it is number name_hash() modulo their number.
struct PairChoice {
  PairKey key;                 // of the best pairs
  std::uint32_t first = 0;     // index of the first mate's locus
  std::uint32_t second = 0;    // of the second mate's
  std::uint64_t insert = 0;    // outer distance
  std::uint64_t reported = 0;  // pairs that the rule reports, before max_hits

  TRAWL_HOST_DEVICE bool found() const { return key.found(); }
  /// How many of them max_hits leaves in.
  TRAWL_HOST_DEVICE std::uint64_t left(const ReportRule& rule) const {
    return rule.report != Report::best && rule.max_hits > 0 && reported > rule.max_hits ? rule.max_hits : reported;
  }
  /// How many it leaves out; 2^32 - 1 also stands for more.
  TRAWL_HOST_DEVICE std::uint32_t dropped(const ReportRule& rule) const {
    const std::uint64_t more = reported - left(rule);
    return more < ~std::uint32_t{0} ? static_cast<std::uint32_t>(more) : ~std::uint32_t{0};
  }
};

TRAWL_HOST_DEVICE constexpr PairKind kind_of(bool concordant, bool first_has_loci, bool second_has_loci) {
  return concordant                          ? PairKind::concordant
         : first_has_loci && second_has_loci ? PairKind::discordant
         : first_has_loci || second_has_loci ? PairKind::one_end
                                             : PairKind::unmapped;
}

/// Whether the concordant pairs are reported. `alone`: the sum of the mates' smallest distances.
TRAWL_HOST_DEVICE inline bool reports_pairs(const PairRule& pairs, const ReportRule& rule, const PairChoice& choice,
                                            std::uint32_t alone) {
  return choice.found() &&
         !(pairs.discordant == Discordant::always && rule.report == Report::best && alone < choice.key.sum());
}

/// Whether the mates' loci are reported alone; beside reported pairs, only those that are in none of them.
TRAWL_HOST_DEVICE inline bool reports_alone(const PairRule& pairs, const ReportRule& rule, PairKind kind,
                                            bool has_pairs) {
  if (has_pairs) {
    return pairs.discordant == Discordant::always && rule.report != Report::best;
  }
  return kind != PairKind::discordant || pairs.discordant != Discordant::never;
}

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
template <class Mate, class CountsAgainst = AllOthers>
TRAWL_HOST_DEVICE PairSums weigh_pairs(const Pairing<Mate>& pairing, std::uint32_t a, const ReportRule& rule,
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
