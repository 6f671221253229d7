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

#include "scan/find/query.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// A query that matches here without gaps ends at `end`.
struct Place {
  std::uint64_t end = 0;
  std::uint32_t query = 0;
};

class PlaceCheck {
 public:
  /// The most edits of options that it can check. More diagonals do not fit in a lane.
  static constexpr std::uint32_t kMostEdits = 15;

  /// What a check reads of a query.
  struct Known {
    sequence::PlaneBlock first;  // the first 64 bases
    std::uint32_t length = 0;    // bases; 0: the query is not taken
    std::uint32_t more = 0;      // index of the next 64 bases in `more`
  };
  struct Tables {
    std::vector<Known> queries;
    std::vector<sequence::PlaneBlock> more;
    std::uint32_t max_edits = 0;

    /// Bases 64 w .. of a query.
    const sequence::PlaneBlock& bases(const Known& query, std::size_t w) const {
      return w == 0 ? query.first : more[query.more + w - 1];
    }
  };

  PlaceCheck(const std::vector<Query>& queries, const Options& options);

  /// Whether check() can check this query.
  static bool takes(const Query& query, const Options& options);
  bool takes_all() const { return takes_all_; }
  bool takes(std::uint32_t query) const { return tables_.queries[query].length > 0; }
  const Tables& tables() const { return tables_; }
  /// Edits are mismatches.
  bool no_gaps() const { return hamming_; }

  /// Appends the ends of all matches that, at one point of their alignment, lie on the diagonal of a place. So a match
  /// ends at most max_edits from the place. Ends of one query may be found at several places, with different distances:
  /// the smallest is the right one.
  void check(const sequence::Reference& reference, std::span<const Place> places, std::vector<Hit>& ends) const;

 private:
  bool hamming_;
  bool takes_all_ = true;
  Tables tables_;
};

namespace detail {

/// The windows of these places, for each metric. The windows must be inside the reference.
void check_mismatches(const sequence::Reference& reference, const PlaceCheck::Tables& tables,
                      std::span<const Place> places, std::vector<Hit>& ends);
void check_edits(const sequence::Reference& reference, const PlaceCheck::Tables& tables, std::span<const Place> places,
                 std::vector<Hit>& ends);

}  // namespace detail

}  // namespace trawl::scan
