// The check of the places where parts of queries occur (search_plan.hpp has the idea): on the CPU many at a time
// (Highway; the instruction set is chosen at run time); for a device as small functions, which also run on the host.
//
//   with: const sequence::Reference reference = reference_of("GGATTACAGG")
//   with: const std::uint64_t end = sequence::kContigGap + 7
//   const ScanOptions options;
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, options);
//   const PlaceCheck places(queries, options);
//   std::vector<Hit> ends;
//   places.check(reference, std::vector<QueryPlace>{{.end = end, .query = 0}}, ends);
//   ends[0].end == end
//
//   with: const PlaceView& view, const TextView& text, const Region& region, std::uint32_t part, std::uint64_t hit
//   const std::uint64_t place = place_of(view, part, hit);
//   may_end_in(view, text, part, place, region) && is_first_part(text, view, part, place);    // then check_place()
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/find/search_plan.hpp"
#include "scan/find/text_view.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// The most edits of options that a check of places can have. More diagonals do not fit in a lane.
inline constexpr std::uint32_t kMostPlaceEdits = 15;

/// A query that matches here without gaps ends at `end`.
struct QueryPlace {
  std::uint64_t end = 0;
  std::uint32_t query = 0;
};

/// What a check reads of a query.
struct PlaceQuery {
  sequence::PlaneBlock first;    // the first 64 bases
  std::uint16_t length = 0;      // bases; 0: the query is not taken
  bool three_prime_last = true;  // of a primer with an exact 3' end: it is at the end in the direction of the text
  std::uint32_t more = 0;        // index of the next 64 bases in `more`
};

struct PlaceView {
  const PlaceQuery* queries = nullptr;
  const sequence::PlaneBlock* more = nullptr;
  std::uint32_t max_edits = 0;
  bool no_gaps = false;              // edits are mismatches
  const QueryPart* parts = nullptr;  // those of a query are neighbours, in the order of the query

  /// Bases 64 w .. of a query.
  TRAWL_HOST_DEVICE sequence::PlaneBlock block(const PlaceQuery& query, std::uint32_t w) const {
    return w == 0 ? query.first : more[query.more + w - 1];
  }
  /// 64 bases of a query from `first` on; what is after its end means nothing.
  TRAWL_HOST_DEVICE sequence::PlaneBlock bases(const PlaceQuery& query, std::uint32_t first) const {
    const std::uint32_t w = first / 64;
    const sequence::PlaneBlock a = block(query, w);
    const sequence::PlaneBlock b = 64 * (w + 1) < query.length ? block(query, w + 1) : sequence::PlaneBlock{};
    return {sequence::funnel_shift_right(a.high, b.high, first % 64),
            sequence::funnel_shift_right(a.low, b.low, first % 64)};
  }
  /// How far from a place its ends may be.
  TRAWL_HOST_DEVICE std::uint32_t slack() const { return no_gaps ? 0 : max_edits; }
};

/// The letters before the ends of a region that a text must have, for queries of up to `longest` bases: a part may
/// occur as far before an end as a query is long, and is compared from its first letter on.
constexpr std::uint64_t place_reach(std::uint64_t longest) { return 2 * longest + 3 * kMostPlaceEdits; }

TRAWL_HOST_DEVICE inline std::uint64_t place_of(const PlaceView& view, std::uint32_t part, std::uint64_t hit_end) {
  return hit_end + view.parts[part].after;
}

/// Whether ends in the region may belong to the place. If the query begins before the first contig by more than
/// max_edits letters, it has no ends.
TRAWL_HOST_DEVICE inline bool may_end_in(const PlaceView& view, const TextView& text, std::uint32_t part,
                                         std::uint64_t place, const Region& region) {
  const std::uint32_t length = view.queries[view.parts[part].query].length;
  return place + view.slack() >= region.begin && place < region.end + view.slack() &&
         place + 1 >= length + view.slack() + 64 * text.first;
}

/// The number of letters in [first, first + length) of a query that do not match at a place, or any number above `most`
/// if there are more.
TRAWL_HOST_DEVICE inline std::uint32_t mismatches(const TextView& text, const PlaceView& view, const PlaceQuery& query,
                                                  std::uint64_t place, std::uint32_t first, std::uint32_t length,
                                                  std::uint32_t most) {
  const std::uint64_t begin = place + 1 - query.length + first;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < length && count <= most; i += 64) {
    const auto here = text.planes_at(begin + i);
    const auto bases = view.bases(query, first + i);
    const std::uint64_t differ = (here.high ^ bases.high) | (here.low ^ bases.low) | text.ambiguous_at(begin + i);
    const std::uint32_t left = length - i;
    count += popcount(left >= 64 ? differ : differ << (64 - left));
  }
  return count;
}

/// Whether none of the query's parts before this one occurs at the place, too. So each place is checked once.
TRAWL_HOST_DEVICE inline bool is_first_part(const TextView& text, const PlaceView& view, std::uint32_t part,
                                            std::uint64_t place) {
  const std::uint32_t query = view.parts[part].query;
  while (part > 0 && view.parts[part - 1].query == query) {
    const QueryPart before = view.parts[--part];
    if (mismatches(text, view, view.queries[query], place, before.first, before.length, 0) == 0) {
      return false;
    }
  }
  return true;
}

/// Calls emit(end, distance) for the ends around a place with at most max_edits edits, as PlaceCheck::check(): the
/// smallest distance of all places is the right one.
template <class Emit>
TRAWL_HOST_DEVICE inline void check_place(const TextView& text, const PlaceView& view, std::uint32_t part,
                                          std::uint64_t place, const Emit& emit) {
  const PlaceQuery query = view.queries[view.parts[part].query];
  const std::uint32_t k = view.max_edits;
  if (view.no_gaps) {
    if (const std::uint32_t count = mismatches(text, view, query, place, 0, query.length, k); count <= k) {
      emit(place, count);
    }
    return;
  }
  Band band(query.length);
  band.compare(text, place + 1 - query.length - k, query.length, [&](std::uint32_t first) {
    const auto bases = view.bases(query, first);
    return Letters32{static_cast<std::uint32_t>(bases.high), static_cast<std::uint32_t>(bases.low)};
  });
  band.for_each_end(2 * k + 1, k, [&](std::uint32_t bit, std::uint32_t distance) { emit(place - k + bit, distance); });
}
static_assert(2 * kMostPlaceEdits + 1 <= 32);

class PlaceCheck {
 public:
  PlaceCheck(const std::vector<Query>& queries, const ScanOptions& options);

  /// Whether check() can check this query.
  static bool takes(const Query& query, const ScanOptions& options) {
    return options.max_edits <= kMostPlaceEdits && !options.ambiguous_matches && options.pam.bases.empty() &&
           query.is_literal;
  }
  bool takes_all() const { return takes_all_; }
  bool takes(std::uint32_t query) const { return queries_[query].length > 0; }
  const std::vector<PlaceQuery>& queries() const { return queries_; }
  const std::vector<sequence::PlaneBlock>& more() const { return more_; }
  /// Without parts.
  PlaceView view() const { return {queries_.data(), more_.data(), max_edits_, no_gaps_}; }

  /// Appends the ends of all matches that, at one point of their alignment, lie on the diagonal of a place. So a match
  /// ends at most max_edits from the place. Ends of one query may be found at several places, with different distances:
  /// the smallest is the right one. Of a primer with an exact 3' end: more ends, so that all are there whose alignment
  /// with that end has few edits; where the 3' end is last in the text, it is there at each of them.
  void check(const sequence::Reference& reference, std::span<const QueryPlace> places, std::vector<Hit>& ends) const;

 private:
  bool may_have_three_prime(const TextView& text, const QueryPlace& place) const;

  std::vector<PlaceQuery> queries_;
  std::vector<sequence::PlaneBlock> more_;
  std::uint32_t max_edits_;
  bool no_gaps_;
  std::uint32_t three_prime_;
  bool takes_all_ = true;
};

}  // namespace trawl::scan
