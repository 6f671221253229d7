// Many short patterns of one length with one or two edits, looked up from the side of the text: the words that a
// pattern may be if it ends at a position are made of the letters before it, and looked up among the whole patterns.
// Halves of seven million patterns of 16 letters occur at 210 places of each position; the words of a position with one
// edit are 105, however many patterns there are.
//
//   with: const sequence::Reference reference = reference_of("GGATACAGG")
//   ScanOptions options;
//   options.max_edits = 1;
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, options);
//   std::vector<Hit> hits;
//   NearSet(queries, options).scan(reference, HitRoom(), 0, reference.size(), hits);
//   hits.size() == 1 && hits[0].distance == 1
#pragma once

#include <cstdint>
#include <vector>

#include "scan/find/literal_table.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"

namespace trawl::scan {

class NearSet {
 public:
  /// The queries must be such that estimated_cost() is finite.
  NearSet(const std::vector<Query>& queries, const ScanOptions& options);

  /// What it takes, in nanoseconds for a position of the text; infinity if it cannot be used.
  static double estimated_cost(const std::vector<Query>& queries, const ScanOptions& options);

  /// As literal_scan(): appends every end in [begin, end) with at most max_edits edits. Some come several times; the
  /// smallest distance is the right one.
  std::uint64_t scan(const sequence::Reference& reference, const HitRoom& room, std::uint64_t begin, std::uint64_t end,
                     std::vector<Hit>& hits) const;

 private:
  std::uint32_t length_;
  std::uint32_t max_edits_;
  bool no_gaps_;
  LiteralTable table_;
};

}  // namespace trawl::scan
