// How many edits a read is searched for, if only its best strata are reported; and which reads are not searched at all.
//
//   with: const sequence::Reference& reference, const MapOptions& options, const sequence::EncodedRead& read
//   with: const align::Selection& selection, std::span<const align::Locus> loci
//   const SearchDepth depth(reference, options);
//   const std::uint32_t first = depth.first(read, 8, false);       // the edits of the first search: `loci`
//   if (depth.needed(selection, loci, first, 8) > first) { ... }          // search again, with more
//
// A search for few edits is much faster than one for many, because its seeds are longer and rarer. So each read is
// first searched for 2 edits, and a single read that may have up to 3 for exact matches. Often that is enough: its best
// locus has so few edits that the first search covers all strata that matter for the record. Otherwise the read is
// searched again, for as many edits as needed; for 4 if nothing was found. The records are those of a full search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "align/read_reporter.hpp"
#include "align/select.hpp"
#include "map/options.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// Loci of mates up to this many edits worse than the best matter for a pair; with Report::all every locus does.
std::uint32_t strata_of_pairs(const MapOptions& options);

class SearchDepth {
 public:
  SearchDepth(const sequence::Reference& reference, const MapOptions& options);

  /// Loci up to this many edits worse than the best one matter for a read's record. With Report::all every locus does.
  static std::uint32_t strata(const MapOptions& options);

  /// The number of edits that `read` is searched for first; at most `allowed`. `paired`: it is a mate of a pair.
  std::uint32_t first(const sequence::EncodedRead& read, std::uint32_t allowed, bool paired) const;

  /// The number of edits to search a read for, if a search for `depth` found nothing; at most `allowed`.
  static std::uint32_t after_nothing(std::uint32_t depth, std::uint32_t allowed) {
    return depth < kSecondDepth ? std::min(allowed, kSecondDepth) : allowed;
  }

  /// The number of edits that the read must be searched for; at most `allowed`. `loci` are those of a search for
  /// `depth` edits, and `selection` was made from them. If the result is not larger than `depth`, no other search is
  /// needed.
  std::uint32_t needed(const align::Selection& selection, std::span<const align::Locus> loci, std::uint32_t depth,
                       std::uint32_t allowed) const;

  /// The same for the mates of a pair: no unseen locus may form a pair whose sum of edits matters. `mates`: the loci
  /// found so far; a mate has none only if it was searched for all allowed edits. `smallest_sum`: that of the pairs
  /// known, or align::kAnySum.
  void needed_for_pair(const align::ReadLoci* mates, std::uint32_t smallest_sum, std::uint32_t* needed) const;

 private:
  // Most reads with more than 2 edits have 3 or 4.
  static constexpr std::uint32_t kSecondDepth = 4;

  align::ReportRule rule_;
  bool always_full_;
  std::uint32_t reported_;  // strata after the best one that are reported
  std::uint32_t paired_;    // strata after the best one that matter for mates in a pair
  std::uint32_t strata_;    // strata after the best one that are reported or counted
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
