// The ends that finders must find and those that they find, in one form.
//
//   CHECK(ends_of(*scan::make_cpu_finder(queries, options), reference) == oracle_ends(contigs, reference, patterns,
//   ..));
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scan/find/cpu_finder.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/region_finder.hpp"
#include "tests/catch.hpp"
#include "tests/find_all.hpp"
#include "tests/guide_oracle.hpp"

namespace trawl::tests {

/// Of hits some of which may be there several times. The first one counts.
inline Ends ends_of(const std::vector<scan::Hit>& hits) {
  Ends ends;
  for (const auto& hit : hits) {
    ends.emplace(std::pair(hit.id, hit.end), hit.distance);
  }
  return ends;
}

/// All ends that a finder finds: in order, and each once.
inline Ends ends_of(scan::Finder& finder, const sequence::Reference& reference) {
  std::vector<scan::Hit> hits;
  tests::find_all(finder, reference, hits);
  Ends found;
  std::pair<std::uint32_t, std::uint64_t> before{0, 0};
  for (const auto& hit : hits) {
    REQUIRE(before <= std::pair(hit.id, hit.end));
    before = {hit.id, hit.end};
    REQUIRE(found.emplace(before, hit.distance).second);
  }
  return found;
}

/// Those of the CPU finder by rows.
inline Ends by_rows(const std::vector<scan::Query>& queries, scan::ScanOptions options,
                    const sequence::Reference& reference) {
  options.search = scan::ScanMethod::rows;
  return ends_of(*scan::make_cpu_finder(queries, options), reference);
}

/// Region by region, each with few ends, never more than `limit`; each end is found once. Adds the number of regions to
/// `count`.
inline Ends by_regions(scan::Finder& finder, const sequence::Reference& reference, std::size_t most, std::size_t& count,
                       std::size_t limit = SIZE_MAX) {
  scan::RegionFinder regions(finder, 0, most);
  regions.begin(reference);
  Ends found;
  scan::Region region;
  std::vector<scan::Hit> hits;
  while (regions.next(region, hits)) {
    ++count;
    REQUIRE(hits.size() <= limit);
    for (const auto& hit : hits) {
      REQUIRE(found.emplace(std::pair(hit.id, hit.end), hit.distance).second);
    }
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
