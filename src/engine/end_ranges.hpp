// The places of many sequences: the result of engine::RangeFinder (engine/engine.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/locus.hpp"

namespace trawl::engine {

using align::EndRange;

/// The runs of many queries: for each of them those of the forward strand, ascending, then those of the reverse strand.
///
///   ranges.of(3, true)     // where query 3 ends on the reverse strand
struct EndRanges {
  std::vector<EndRange> ranges;
  std::vector<std::size_t> first;  // [2 q + strand]: index of the first one; one more at the end

  std::span<const EndRange> of(std::size_t query, bool reverse) const {
    const std::size_t s = 2 * query + (reverse ? 1 : 0);
    return std::span(ranges).subspan(first[s], first[s + 1] - first[s]);
  }

  /// Puts in the ranges of some queries, which have none here yet: found.of(i) are those of query queries[i]. `queries`
  /// may have any order.
  void put(std::span<const std::uint32_t> queries, const EndRanges& found);
};

}  // namespace trawl::engine
