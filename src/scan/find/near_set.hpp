// Many short patterns with one or two edits, looked up from the side of the text: the words that a pattern may be if it
// ends at a position are made of the letters before it, and looked up among the whole patterns. Parts of millions of
// short patterns occur nearly everywhere: of seven million of 16 letters, at 210 places at each position. The words of
// a position are 105, however many patterns there are.
//
//   with: const sequence::Reference reference = reference_of("GGATACAGG")
//   ScanOptions options;
//   options.max_edits = 1;
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, options);
//   const NearSet set(queries, options);
//   std::vector<Hit> hits;
//   set.scan(reference, HitRoom(), 0, reference.size(), hits);
//   hits.size() == 1 && hits[0].distance == 1
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scan/find/literal_table.hpp"
#include "scan/find/query.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

class NearSet {
 public:
  /// Each query must be one that estimated_cost() can have.
  NearSet(const std::vector<Query>& queries, const ScanOptions& options);

  /// Null: it cannot be used, or another way is faster.
  static std::unique_ptr<const NearSet> choose(const std::vector<Query>& queries, const ScanOptions& options);

  /// What it takes, in nanoseconds for a position of the text; infinity if it cannot be used.
  static double estimated_cost(const std::vector<Query>& queries, const ScanOptions& options);

  /// As literal_scan(): appends every end in [begin, end) with at most max_edits edits. Some come several times; the
  /// smallest distance is the right one.
  std::uint64_t scan(const sequence::Reference& reference, const HitRoom& room, std::uint64_t begin, std::uint64_t end,
                     std::vector<Hit>& hits) const;

 private:
  struct OfLength {
    std::uint32_t length;
    LiteralTable table;
  };

  std::vector<OfLength> lengths_;
  std::uint32_t max_edits_;
  bool no_gaps_;
};

}  // namespace trawl::scan
