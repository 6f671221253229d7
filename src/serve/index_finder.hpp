// Finds the ends of patterns without gaps by the seed index, where that is quicker than a scan of the whole reference:
// few patterns of 16 letters and more with few mismatches, such as a guide.
//
// One of the two halves of a pattern has at most half of the mismatches. So up to q letters of each half are looked up,
// with all their neighbours at that many mismatches, and the whole pattern is compared where they occur. A guide of
// 20 letters with 3 mismatches: 2 halves of 10 with 31 words each, on 2 strands; on 133 Mbp about 16,000 places.
//
//   with: const sequence::Reference& reference, const seed::SeedIndex& seeds
//   with: const scan::QueryList& queries, const scan::ScanOptions& options
//   const auto finder = make_index_finder(reference, seeds, queries, options);    // null: better scan
#pragma once

#include <memory>
#include <vector>

#include "scan/find/finder.hpp"
#include "seed/seed_index.hpp"
#include "sequence/reference.hpp"

namespace trawl::serve {

/// Null if the patterns cannot be searched in this way, or if it would take longer than a scan. The finder only
/// searches this reference. All arguments must outlive it.
std::unique_ptr<scan::Finder> make_index_finder(const sequence::Reference& reference, const seed::SeedIndex& seeds,
                                                const std::vector<scan::Query>& queries,
                                                const scan::ScanOptions& options);

}  // namespace trawl::serve
