// What finders find, in a form that tests compare.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/find/region_finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"
#include "sequence/reference.hpp"

namespace trawl::tests {

/// Query, position, distance.
using Ends = std::vector<std::tuple<std::uint32_t, std::uint64_t, unsigned>>;

inline void add_ends(const std::vector<scan::Hit>& hits, Ends& ends) {
  for (const auto& hit : hits) {
    ends.emplace_back(hit.id, hit.end, hit.distance);
  }
}

/// All ends that a finder finds.
inline Ends ends_of(scan::Finder& finder, const sequence::Reference& reference) {
  std::vector<scan::Hit> hits;
  finder.find(reference, hits);
  Ends ends;
  add_ends(hits, ends);
  return ends;
}

/// Those of the CPU finder by rows.
inline Ends by_rows(const std::vector<scan::Query>& queries, scan::Options options,
                    const sequence::Reference& reference) {
  options.search = scan::Search::rows;
  return ends_of(*scan::make_cpu_finder(queries, options), reference);
}

/// Region by region, each with few ends. Adds the number of regions to `count`.
inline Ends by_regions(scan::Finder& finder, const sequence::Reference& reference, std::size_t most,
                       std::size_t& count) {
  scan::RegionFinder regions(finder, 0, most);
  regions.begin(reference);
  Ends found;
  scan::Region region;
  std::vector<scan::Hit> hits;
  while (regions.next(region, hits)) {
    ++count;
    add_ends(hits, found);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace trawl::tests
