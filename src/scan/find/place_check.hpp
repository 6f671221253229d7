// Checks many places at which queries may match, many at a time (Highway; the instruction set is chosen at run time).
//
//   with: const sequence::Reference reference = reference_of("GGATTACAGG")
//   with: const std::uint64_t end = sequence::kContigGap + 7
//   const Options options;
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, options);
//   const PlaceCheck places(queries, options);
//   places.takes(0) == true                      // no: too many edits, a PAM, or letters that are not bases
//   std::vector<Hit> ends;
//   places.check(reference, std::vector<Place>{{.end = end, .query = 0}}, ends);
//   ends[0].end == end
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scan/find/place_steps.hpp"
#include "scan/find/query.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

class PlaceCheck {
 public:
  PlaceCheck(const std::vector<Query>& queries, const Options& options);

  /// Whether check() can check this query.
  static bool takes(const Query& query, const Options& options) {
    return options.max_edits <= kMostPlaceEdits && !options.ambiguous_matches && !query.has_pam() && query.is_literal;
  }
  bool takes_all() const { return takes_all_; }
  bool takes(std::uint32_t query) const { return queries_[query].length > 0; }
  const std::vector<PlaceQuery>& queries() const { return queries_; }
  const std::vector<sequence::PlaneBlock>& more() const { return more_; }
  /// Without parts.
  PlaceView view() const { return {queries_.data(), more_.data(), max_edits_, no_gaps_}; }

  /// Appends the ends of all matches that, at one point of their alignment, lie on the diagonal of a place. So a match
  /// ends at most max_edits from the place. Ends of one query may be found at several places, with different distances:
  /// the smallest is the right one.
  void check(const sequence::Reference& reference, std::span<const Place> places, std::vector<Hit>& ends) const;

 private:
  std::vector<PlaceQuery> queries_;
  std::vector<sequence::PlaneBlock> more_;
  std::uint32_t max_edits_;
  bool no_gaps_;
  bool takes_all_ = true;
};

}  // namespace trawl::scan
