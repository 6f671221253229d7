// Which loci of a read are reported, and in which order.
//
//   const std::vector<Locus> loci = {{.end = 100, .distance = 2}, {.end = 300}, {.end = 500, .distance = 1}};
//   Selection chosen;
//   select(loci, {.report = Report::all}, name_hash("read1"), chosen);
//   chosen.order == {1, 2, 0}
//   chosen.best_count == 1
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "align/locus.hpp"
#include "base/host_device.hpp"

namespace trawl::align {

/// The largest edit distance that may be allowed for any read; less than sequence::kContigGap.
inline constexpr std::uint32_t kMaxEdits = 255;

enum class Report { best, strata, all };

struct ReportRule {
  Report report = Report::best;
  std::uint32_t strata = 0;       // with Report::strata: loci up to this many edits worse than the best
  std::uint64_t max_hits = 0;     // alignments per read; 0: no limit
  std::uint32_t edit_points = 1;  // what an edit counts in the distance of a locus; of a piece, the penalty
  bool placements = false;        // with strata and all: a record for each placement of a locus (align/placements.hpp)
  bool counts_worse = false;      // worse loci of a single read are counted however many are best (align/select.hpp)
  bool split = false;  // a read may lie at two places: pieces of other bases do not count against its mapping quality
};

struct Selection {
  std::vector<std::uint32_t> order;  // indices of the loci to report, the primary one first
  std::uint32_t best_count = 0;      // loci in the best stratum
  std::uint32_t next_count = 0;      // loci up to one edit worse
  std::uint32_t dropped = 0;         // loci that max_hits leaves out
  std::uint32_t ties = 0;            // loci that are as good as the primary one (prefer_cheapest())
};

/// A number made from the read's name (FNV-1a, Fowler, Noll and Vo), the same on every machine. It picks the primary
/// locus among equally good ones, so that reads from a repeat are spread over its copies.
TRAWL_HOST_DEVICE inline std::uint64_t name_hash(const char* name, std::size_t length) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(name[i])) * 0x100000001b3u;
  }
  return hash ^ (hash >> 32);
}
inline std::uint64_t name_hash(std::string_view name) { return name_hash(name.data(), name.size()); }

/// Whether loci one edit worse than the best were searched for, so that their number (SAM: X1) is known.
TRAWL_HOST_DEVICE constexpr bool is_next_known(std::uint32_t best, std::uint32_t max_edits) { return best < max_edits; }

/// Whether a single read has enough best loci: worse ones are then neither counted nor searched for.
TRAWL_HOST_DEVICE constexpr bool are_enough(const ReportRule& rule, std::uint32_t best_count) {
  constexpr std::uint32_t kEnough = 30;
  return rule.report == Report::best && !rule.counts_worse && best_count > kEnough;
}

/// How many loci a read has, and which is the primary one.
struct Strata {
  std::uint32_t best = 0;        // the smallest distance
  std::uint32_t best_count = 0;  // loci in the best stratum
  std::uint32_t next_count = 0;  // loci up to one edit worse
  std::uint64_t reported = 0;    // loci that the rule reports, before max_hits
  std::uint32_t primary = 0;     // index of the primary locus
  std::uint32_t ties = 0;        // those of the best stratum that are as good as it

  /// How many loci max_hits leaves out.
  TRAWL_HOST_DEVICE std::uint32_t dropped(const ReportRule& rule) const {
    return rule.report != Report::best && rule.max_hits > 0 && reported > rule.max_hits
               ? static_cast<std::uint32_t>(reported - rule.max_hits)
               : 0;
  }
};

/// Whether the rule reports a locus other than the primary one.
TRAWL_HOST_DEVICE inline bool is_reported(const ReportRule& rule, std::uint32_t best, std::uint32_t distance) {
  return rule.report == Report::all ||
         (rule.report == Report::strata && distance <= best + rule.strata * rule.edit_points);
}

/// Counts `count` > 0 loci and picks the primary one: `hash` chooses it among those of the best stratum. distance(l) is
/// the distance of locus l. Loci of the forward strand come first, and each strand's are in ascending order.
template <class Distance>
TRAWL_HOST_DEVICE Strata find_strata(std::uint32_t count, const Distance& distance, const ReportRule& rule,
                                     std::uint64_t hash) {
  Strata strata;
  strata.best = ~std::uint32_t{0};
  for (std::uint32_t l = 0; l < count; ++l) {
    const std::uint32_t here = distance(l);
    strata.best = here < strata.best ? here : strata.best;
  }
  for (std::uint32_t l = 0; l < count; ++l) {
    const std::uint32_t here = distance(l);
    strata.best_count += here == strata.best;
    strata.next_count += here > strata.best && here <= strata.best + rule.edit_points;
    strata.reported += is_reported(rule, strata.best, here);
  }
  strata.ties = strata.best_count;
  strata.reported = rule.report == Report::best ? 1 : strata.reported;
  std::uint64_t skip = hash % strata.best_count;  // NOLINT(clang-analyzer-core.DivideZero): count > 0
  while (distance(strata.primary) != strata.best || skip-- > 0) {
    ++strata.primary;
  }
  return strata;
}

/// With --damage: of the best stratum only the loci with the smallest cost are equally good. cost(l): of locus l.
template <class Distance, class Cost>
TRAWL_HOST_DEVICE void prefer_cheapest(std::uint32_t count, const Distance& distance, const Cost& cost,
                                       std::uint64_t hash, Strata& strata) {
  if (strata.best_count < 2 || strata.best == 0) {
    return;
  }
  std::int64_t least = 0;
  strata.ties = 0;
  for (std::uint32_t l = 0; l < count; ++l) {
    if (distance(l) == strata.best) {
      const std::int64_t here = cost(l);
      if (strata.ties == 0 || here < least) {
        least = here;
        strata.ties = 0;
        strata.primary = l;
      }
      strata.ties += here == least;
    }
  }
  std::uint64_t skip = hash % strata.ties;
  while (skip > 0) {
    ++strata.primary;
    skip -= distance(strata.primary) == strata.best && cost(strata.primary) == least;
  }
}

/// Which records other than the primary one max_hits keeps. They are sorted, the better ones first. Of those that are
/// as good as the first one without room, neighbours are kept: the hash of the name picks the first, and the last one
/// is followed by the first. So reads from a repeat are spread over its copies.
///   const KeptRecords kept(5, 2, [](std::uint64_t i) { return i / 4; }, std::uint64_t{3} << 32);    // 0 0 0 0 1
///   kept.place(3) == 0
///   kept.place(0) == 1
///   kept.place(1) == kept.kNone
class KeptRecords {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  /// `all` records of which `kept` have room. distance(i): of the i-th one, never smaller than that of the one before.
  template <class Distance>
  TRAWL_HOST_DEVICE KeptRecords(std::uint64_t all, std::uint64_t kept, const Distance& distance, std::uint64_t hash)
      : first_(kept), kept_(kept) {
    if (kept >= all) {
      return;
    }
    const auto border = distance(kept);
    const auto find = [&](std::uint64_t low, std::uint64_t high, const auto& is_before) {
      while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (is_before(distance(middle))) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    };
    first_ = find(0, kept, [&](auto here) { return here < border; });
    equals_ = find(kept, all, [&](auto here) { return here <= border; }) - first_;
    start_ = (hash >> 32) % equals_;  // NOLINT(clang-analyzer-core.DivideZero): the record at `kept` is one
  }

  /// The place of the i-th record among those kept.
  TRAWL_HOST_DEVICE std::uint64_t place(std::uint64_t i) const {
    if (i < first_) {
      return i;
    }
    if (i - first_ >= equals_) {
      return kNone;
    }
    const std::uint64_t turned = (i - first_ + equals_ - start_) % equals_;
    return turned < kept_ - first_ ? first_ + turned : kNone;
  }

 private:
  std::uint64_t first_;       // records that are better than the first one without room
  std::uint64_t equals_ = 0;  // those that are as good as that one
  std::uint64_t start_ = 0;   // the first one kept of these
  std::uint64_t kept_;
};

/// Leaves `dropped` of the records out, of which the first one is the primary one. distance(record): see KeptRecords.
template <class AlignmentRecord, class Distance>
void keep(std::uint64_t dropped, const Distance& distance, std::uint64_t hash, std::vector<AlignmentRecord>& records) {
  if (dropped == 0) {
    return;
  }
  const std::uint64_t others = records.size() - 1;
  const KeptRecords kept(
      others, others - dropped, [&](std::uint64_t i) { return distance(records[1 + i]); }, hash);
  std::vector<AlignmentRecord> left(records.size() - dropped);
  left[0] = records[0];
  for (std::uint64_t i = 0; i < others; ++i) {
    if (const std::uint64_t place = kept.place(i); place != KeptRecords::kNone) {
      left[1 + place] = records[1 + i];
    }
  }
  records.swap(left);
}

/// Selects among `loci`, ordered as find_strata() needs them. The primary locus comes first. The others are ordered by
/// distance, then end, then strand; KeptRecords says which of them max_hits keeps. sort_records() then orders the
/// records. `primary`: the primary locus, if it is known already.
void select(std::span<const Locus> loci, const ReportRule& rule, std::uint64_t hash, Selection& selection,
            const std::uint32_t* primary = nullptr);

}  // namespace trawl::align
