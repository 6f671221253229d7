// What a concordant pair of mates is.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace trawl::align {

/// How the mates of a pair lie. fr: on opposite strands, the forward one on the left (the usual short-insert library).
/// rf: on opposite strands, the reverse one on the left (mate-pair libraries). ff: on the same strand, the first mate
/// before the second one in the direction of that strand.
enum class Orientation : std::uint8_t { fr, rf, ff };

/// When mates that fit no concordant pair are reported each with its own loci.
enum class Discordant : std::uint8_t {
  if_none,  // if the pair has no concordant pair of loci
  always,   // also beside concordant pairs
  never,
};

struct PairRule {
  Orientation orientation = Orientation::fr;
  Discordant discordant = Discordant::if_none;
};

/// The usual insert sizes of a library, or of a part of it: near a mean. deviation 0: all sizes are equally likely.
struct InsertSizes {
  std::uint32_t mean = 0;
  std::uint32_t deviation = 0;  // standard deviation

  /// Costs never exceed this; so rare sizes have the probability of an artefact, not of a normal distribution's tail.
  static constexpr std::uint32_t kMostCost = 40;

  /// The Phred cost of a size, compared with the mean: 10 log10(e) z^2 / 2 for z deviations from the mean.
  ///   InsertSizes{300, 20}.cost(340) == 9
  TRAWL_HOST_DEVICE std::uint32_t cost(std::uint64_t size) const {
    const std::uint64_t away = size > mean ? size - mean : mean - size;
    if (away >= 5 * std::uint64_t{deviation}) {
      return kMostCost;
    }
    const std::uint64_t square = std::uint64_t{deviation} * deviation;
    const std::uint64_t rounded = (away * away * 2171 + square * 500) / (square * 1000);
    return rounded < kMostCost ? static_cast<std::uint32_t>(rounded) : kMostCost;
  }
};

/// Which insert sizes are allowed, and how likely each of them is. The insert size is the outer distance of two mates:
/// from the first to the last reference base that either of them covers.
struct InsertModel {
  std::uint32_t min = 1;
  std::uint32_t max = 1000;
  InsertSizes most{};    // those of most pairs. deviation 0: not known, all sizes are equally likely
  InsertSizes others{};  // of a library with two sizes, or with a long tail. deviation 0: there are no others

  TRAWL_HOST_DEVICE bool allows(std::uint64_t size) const { return size >= min && size <= max; }
  TRAWL_HOST_DEVICE bool is_known() const { return most.deviation > 0; }
  TRAWL_HOST_DEVICE bool has_two_sizes() const { return others.deviation > 0; }

  /// The Phred cost of a size, compared with a mean that is near it.
  ///   InsertModel{100, 500, {300, 20}, {}}.cost(340) == 9
  TRAWL_HOST_DEVICE std::uint32_t cost(std::uint64_t size) const {
    if (!is_known()) {
      return 0;
    }
    const std::uint32_t least = most.cost(size);
    const std::uint32_t other = has_two_sizes() ? others.cost(size) : least;
    return other < least ? other : least;
  }
};

/// Insert sizes that a user gives in place of the estimated ones.
struct InsertRange {
  std::uint32_t min = 1;
  std::uint32_t max = 1000;

  bool operator==(const InsertRange&) const = default;
};

/// The reference bases [begin, end) that an alignment covers, and its strand.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool reverse = false;
};

/// The outer distance of two mates on one contig.
TRAWL_HOST_DEVICE inline std::uint64_t outer_distance(const Extent& a, const Extent& b) {
  return (a.end > b.end ? a.end : b.end) - (a.begin < b.begin ? a.begin : b.begin);
}

/// Moves one of two mates on a circular contig of this length by whole turns, so that they are as near to each other as
/// possible. `circle` 0: the contig is linear.
TRAWL_HOST_DEVICE inline void bring_together(std::uint64_t circle, Extent& a, Extent& b) {
  const auto bring = [circle](const Extent& fixed, Extent& moved) {
    if (fixed.begin > moved.begin) {
      const std::uint64_t turns = (fixed.begin - moved.begin + circle / 2) / circle;
      moved.begin += turns * circle;
      moved.end += turns * circle;
    }
  };
  if (circle > 0) {
    bring(a, b);
    bring(b, a);
  }
}

/// Whether the mate that must lie on the left is `first`: depends only on the strands.
TRAWL_HOST_DEVICE inline bool first_is_left(Orientation orientation, bool first_reverse) {
  return orientation == Orientation::rf ? first_reverse : !first_reverse;
}

/// Whether two strands fit the orientation.
TRAWL_HOST_DEVICE inline bool strands_fit(Orientation orientation, bool first_reverse, bool second_reverse) {
  return (first_reverse == second_reverse) == (orientation == Orientation::ff);
}

/// Whether two mates on one contig are a concordant pair. The mates may overlap, and one may lie inside the other. They
/// must not dovetail: the mate that belongs on the right must not both begin and end before the other.
///
///   const InsertModel inserts{.min = 1, .max = 500};
///   is_concordant(Orientation::fr, inserts, {100, 200, false}, {300, 400, true}) == true
///   is_concordant(Orientation::fr, inserts, {100, 200, true}, {300, 400, false}) == false     // that is rf
///   is_concordant(Orientation::fr, inserts, {100, 200, false}, {90, 190, true}) == false      // they dovetail
TRAWL_HOST_DEVICE inline bool is_concordant(Orientation orientation, const InsertModel& inserts, const Extent& first,
                                            const Extent& second) {
  if (!strands_fit(orientation, first.reverse, second.reverse)) {
    return false;
  }
  const bool in_order = first_is_left(orientation, first.reverse);
  const Extent& left = in_order ? first : second;
  const Extent& right = in_order ? second : first;
  const bool dovetails = right.begin < left.begin && right.end < left.end;
  return !dovetails && inserts.allows(outer_distance(first, second));
}

}  // namespace trawl::align
