// Which reads are too short to be searched, because they match at very many places by chance.
//
//   const Options options;                                            // e = 5%, so 0 for such reads
//   ShortReads(options, 50'000'000).is_too_short("ACGTACGT") == true
//   ShortReads(options, 50'000'000).is_too_short("ACGTACGTA") == false
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "map/options.hpp"

namespace trawl::map {

class ShortReads {
 public:
  /// A read that is expected at more places than this by chance is too short, unless options.min_length says otherwise.
  static constexpr double kMostChancePlaces = 1000;

  /// `options` must outlive this object. `reference_bases`: Reference::bases().
  ShortReads(const Options& options, std::uint64_t reference_bases);

  /// Whether the read matches everywhere, or is expected at too many places. Of n bases with e edits there are about
  /// C(n, e) 8^e different ones (substitutions and insertions of 3 and 4 letters, and a deletion); without gaps 3^e.
  /// Each is expected at 1 place in 4^n. A letter that matches k bases counts as 4 / k, so N does not count.
  bool is_too_short(std::string_view bases) const;

 private:
  bool fits_by_chance(std::size_t letters, double bits, std::uint32_t edits) const;

  const Options& options_;
  double positions_bits_;        // log2 of the positions of both strands
  std::vector<bool> by_length_;  // for reads without ambiguous letters that match
};

}  // namespace trawl::map
