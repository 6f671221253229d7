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
///   const EndRanges found{{{10, 12}, {30, 30}, {40, 41}}, {0, 1, 3}};   // of one query
///   found.of(0, false)[0].last == 12                                    // it ends at 10, 11 and 12
///   found.of(0, true).size() == 2                                       // and twice on the reverse strand
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
