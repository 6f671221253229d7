#include "scan/find/place_check.hpp"

#include <algorithm>

#include "sequence/alphabet.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

// Letters around a place that a check may read, besides those that a match can have.
constexpr std::uint64_t kMargin = 192;
// A match with at most kMostEdits edits that ends in the margin would be in a gap with more of its letters than that.
static_assert(kMargin + PlaceCheck::kMostEdits < sequence::kContigGap - PlaceCheck::kMostEdits);

}  // namespace

bool PlaceCheck::takes(const Query& query, const Options& options) {
  return options.max_edits <= kMostEdits && !options.ambiguous_matches && !query.has_pam() && query.is_literal;
}

PlaceCheck::PlaceCheck(const std::vector<Query>& queries, const Options& options)
    : hamming_(options.metric == Metric::hamming) {
  tables_.max_edits = options.max_edits;
  tables_.queries.resize(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (!takes(queries[q], options)) {
      takes_all_ = false;
      continue;
    }
    Known& query = tables_.queries[q];
    query.length = queries[q].length();
    query.more = static_cast<std::uint32_t>(tables_.more.size());
    for (std::size_t begin = 0; begin < query.length; begin += 64) {
      const sequence::PlaneBlock block = sequence::planes_of(std::string_view(queries[q].bases).substr(begin, 64));
      if (begin == 0) {
        query.first = block;
      } else {
        tables_.more.push_back(block);
      }
    }
  }
}

void PlaceCheck::check(const sequence::Reference& reference, std::span<const Place> places,
                       std::vector<Hit>& ends) const {
  static thread_local std::vector<Place> inside;
  const std::uint64_t slack = hamming_ ? 0 : tables_.max_edits;
  inside.clear();
  for (const Place& place : places) {
    if (place.end + 1 >= tables_.queries[place.query].length + slack && place.end + kMargin < reference.size()) {
      inside.push_back(place);
    }
  }
  if (hamming_) {
    detail::check_mismatches(reference, tables_, inside, ends);
  } else {
    detail::check_edits(reference, tables_, inside, ends);
  }
}

}  // namespace trawl::scan
