// How many edits a read is searched for, if only its best strata are reported; and which reads are not searched at all.
//
//   with: const sequence::Reference& reference
//   const SearchDepth depth(reference, MapOptions{}, {});
//   depth.first(150, 0, 7, false) == 2         // the edits of the first search for a read of 150 bases with e = 7
//   depth.needed({2, 7, 0, 1}, 1) == 2         // its only best locus has no edits: that is enough
//   depth.needed({2, 7, 1, 1}, 1) == 3         // one edit: the read is searched again, for 3 edits
//
// A search for few edits is much faster than one for many, because its seeds are longer and rarer. So each read is
// first searched for 2 edits, and a single read that may have up to 3 for exact matches. Often that is enough: its best
// locus has so few edits that the first search covers all strata that matter for the record. Otherwise the read is
// searched again, for as many edits as needed; if nothing was found, for 4 and then for all. The records are those of a
// full search. Host and device ask the same functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "align/mapq.hpp"
#include "align/pairing.hpp"
#include "align/select.hpp"
#include "base/host_device.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// Loci of mates up to this many edits worse than the best matter for a pair; with Report::all every locus does.
std::uint32_t strata_of_pairs(const MapOptions& options);

/// What searches for a read have found so far.
struct SearchedRead {
  std::uint32_t edits = 0;              // searched for
  std::uint32_t allowed = 0;            // e
  std::uint32_t best = align::kAnySum;  // the smallest distance of its loci; this: it has none
  std::uint32_t count = 0;              // loci with it
  bool proven = true;                   // the loci are those of a search for all allowed edits

  TRAWL_HOST_DEVICE bool is_complete() const { return edits == allowed; }
  /// Whether its loci say how many edits it must be searched for. Otherwise next_edits() does.
  TRAWL_HOST_DEVICE bool is_decided() const { return is_complete() || (proven && best != align::kAnySum); }
  TRAWL_HOST_DEVICE std::uint32_t next_edits() const {
    constexpr std::uint32_t kSecondDepth = 4;  // most reads with more than 2 edits have 3 or 4
    return proven && edits < kSecondDepth && kSecondDepth < allowed ? kSecondDepth : allowed;
  }
};

class SearchDepth {
 public:
  SearchDepth() = default;
  /// `rule`: what is reported; otherwise `options` say it.
  SearchDepth(const sequence::Reference& reference, const MapOptions& options, const align::ReportRule& rule);

  /// Loci up to this many edits worse than the best one matter for a read's record. With Report::all every locus does.
  static std::uint32_t strata(const MapOptions& options);

  /// The number of edits that a read is searched for first; at most `allowed`. `ambiguous`: bases that are. `paired`:
  /// it is a mate of a pair.
  std::uint32_t first(std::size_t length, std::size_t ambiguous, std::uint32_t allowed, bool paired) const;

  /// The number of edits that a single read must be searched for; at most those allowed. If it is not larger than the
  /// number so far, no further search is needed. `ties`: best loci that are as good as the primary one.
  TRAWL_HOST_DEVICE std::uint32_t needed(const SearchedRead& read, std::uint32_t ties) const {
    if (!read.is_decided()) {
      return read.next_edits();
    }
    // A read with several best loci has a mapping quality of 0, so worse loci do not change it.
    const std::uint32_t behind = align::are_enough(rule_, read.count) ? 0
                                 : ties > 1                           ? strata_
                                                                      : larger(strata_, align::MapqModel::kStrata);
    return at_most(read.allowed, read.best + behind);
  }

  /// The same for the mates of a pair: no unseen locus may form a pair whose sum of edits matters. `smallest_sum`: that
  /// of the pairs known, or align::kAnySum.
  TRAWL_HOST_DEVICE void needed_for_pair(const SearchedRead* mates, std::uint32_t smallest_sum,
                                         std::uint32_t* needed) const {
    const bool decided = mates[0].is_decided() && mates[1].is_decided();
    for (unsigned m = 0; m < 2; ++m) {
      const SearchedRead& mate = mates[m];
      const std::uint32_t other = mates[1 - m].best;
      std::uint32_t wanted = larger(mate.best, smallest_sum - other) + paired_;
      if (!decided || mate.best == align::kAnySum) {
        wanted = mate.is_decided() ? 0 : mate.next_edits();
      } else if (other == align::kAnySum) {
        wanted = mate.best + larger(reported_, align::MapqModel::kStrata);  // it is reported alone
      } else if (smallest_sum == align::kAnySum) {
        wanted = mate.allowed;
      }
      // In a pair with an unseen locus of this mate, the other mate has at least its smallest distance.
      needed[m] = at_most(mate.allowed, wanted);
    }
  }

 private:
  TRAWL_HOST_DEVICE static std::uint32_t at_most(std::uint32_t allowed, std::uint32_t wanted) {
    return wanted < allowed ? wanted : allowed;
  }
  TRAWL_HOST_DEVICE static std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }

  align::ReportRule rule_;
  bool always_full_ = true;
  std::uint32_t reported_ = 0;  // strata after the best one that are reported
  std::uint32_t paired_ = 0;    // strata after the best one that matter for mates in a pair
  std::uint32_t strata_ = 1;    // strata after the best one that are reported or counted
};

/// Which reads are too short to be searched, because they match at very many places by chance.
///   const MapOptions options;                                            // e = 5%, so 0 for such reads
///   ShortReads(options, 50'000'000).is_too_short("ACGTACGT") == true
///   ShortReads(options, 50'000'000).is_too_short("ACGTACGTA") == false
class ShortReads {
 public:
  /// A read that is expected at more places than this by chance is too short, unless options.min_length says otherwise.
  static constexpr double kMostChancePlaces = 1000;

  /// `options` must outlive this object. `reference_bases`: Reference::bases().
  ShortReads(const MapOptions& options, std::uint64_t reference_bases);

  /// Whether the read matches everywhere, or is expected at too many places. With e edits, n bases become about
  /// C(n, e) 8^e sequences (substitutions and insertions of 3 and 4 letters, and a deletion); without gaps 3^e.
  /// Each is expected at 1 place in 4^n. A letter that matches k bases counts as 4 / k, so N does not count.
  bool is_too_short(std::string_view bases) const;

 private:
  bool fits_by_chance(std::size_t letters, double bits, std::uint32_t edits) const;

  const MapOptions& options_;
  double positions_bits_;        // log2 of the positions of both strands
  std::vector<bool> by_length_;  // for reads without ambiguous letters that match
};

}  // namespace trawl::map
