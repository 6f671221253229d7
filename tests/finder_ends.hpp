// The ends that `trawl scan` must find and those that a finder gives, in one form.
//
//   CHECK(ends_of(*scan::make_cpu_finder(queries, options), reference) == oracle_ends(contigs, reference, patterns,
//   ..));
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scan/find/finder.hpp"
#include "tests/catch.hpp"
#include "tests/pattern_oracle.hpp"

namespace trawl::tests {

/// {number of the pattern, position of its last letter}: distance.
using Ends = std::map<std::pair<std::uint32_t, std::uint64_t>, unsigned>;

/// What a finder gives: in order, and each end once.
inline Ends ends_of(scan::Finder& finder, const sequence::Reference& reference) {
  std::vector<scan::Hit> hits;
  finder.find(reference, hits);
  Ends found;
  std::pair<std::uint32_t, std::uint64_t> before{0, 0};
  for (const auto& hit : hits) {
    REQUIRE(before <= std::pair(hit.id, hit.end));
    before = {hit.id, hit.end};
    REQUIRE(found.emplace(before, hit.distance).second);
  }
  return found;
}

/// All ends of the patterns with at most k edits, by plain dynamic programming in each contig.
template <class Patterns>
Ends oracle_ends(const std::vector<std::string>& contigs, const sequence::Reference& reference,
                 const Patterns& patterns, unsigned k, bool hamming, bool ambiguous_matches) {
  Ends ends;
  std::uint32_t number = 0;
  for (const auto& pattern : patterns) {
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      for (const auto& [end, distance] :
           oracle_ends(pattern, contigs[c], static_cast<int>(k), hamming, ambiguous_matches)) {
        ends[{number, reference.contigs()[c].offset + end - 1}] = static_cast<unsigned>(distance);
      }
    }
    ++number;
  }
  return ends;
}

}  // namespace trawl::tests
