// Highway includes this file once for every instruction set that it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scan/find/place_check_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "match/band_lanes_simd.hpp"
#include "scan/find/literal_group.hpp"
#include "scan/find/place_check.hpp"
#include "sequence/plane_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::scan::HWY_NAMESPACE {

// Places are in the order of the text; their queries are anywhere in memory.
constexpr std::size_t kAhead = 16;

HWY_INLINE void fetch_ahead(const PlaceView& view, std::span<const QueryPlace> places, std::size_t i) {
  __builtin_prefetch(&view.queries[places[std::min(i + kAhead, places.size() - 1)].query]);
}

// The windows of the places must be inside the reference.
__attribute__((flatten)) void check_mismatches(const sequence::Reference& reference, const PlaceView& view,
                                               std::span<const QueryPlace> places, std::vector<Hit>& ends) {
  const TextView text(reference);
  for (std::size_t i = 0; i < places.size(); ++i) {
    fetch_ahead(view, places, i);
    const auto& [end, id] = places[i];
    const PlaceQuery& query = view.queries[id];
    const std::uint32_t count = mismatches(text, view, query, end, 0, query.length, view.max_edits);
    if (count <= view.max_edits) {
      ends.push_back({end, id, static_cast<std::uint16_t>(count)});
    }
  }
}

template <class T>
class EditCheck {
 public:
  void run(const sequence::Reference& reference, const PlaceView& view, std::span<const QueryPlace> places,
           std::vector<Hit>& ends) {
    const std::uint32_t k = view.max_edits;
    const std::uint64_t* ambiguous = reference.ambiguous().data();
    for (std::size_t i = 0; i < places.size(); ++i) {
      fetch_ahead(view, places, i);
      const QueryPlace& place = places[i];
      const PlaceQuery& query = view.queries[place.query];
      std::uint64_t any = 0;
      for (std::uint64_t w = (place.end + 1 - query.length - k) / 64; w <= (place.end + k) / 64; ++w) {
        any |= ambiguous[w];
      }
      if (any == 0) {
        add(reference, view, {&query, place}, clear_, ends);
      } else {
        add(reference, view, {&query, place}, with_unknown_, ends);
      }
    }
    check_group(reference, view, clear_, ends);
    check_group(reference, view, with_unknown_, ends);
  }

 private:
  struct InLane {
    const PlaceQuery* query;
    QueryPlace place;
  };

  // Places that are checked together. `kUnknown`: there are ambiguous letters in their windows, or gaps.
  template <bool kUnknown>
  struct PlaceLanes {
    using Band = match::HWY_NAMESPACE::BandLanes<T, kUnknown>;
    Band band;
    InLane lanes[Band::kMaxLanes];
    std::size_t count = 0;
  };

  template <bool kUnknown>
  HWY_INLINE void add(const sequence::Reference& reference, const PlaceView& view, const InLane& lane,
                      PlaceLanes<kUnknown>& group, std::vector<Hit>& ends) {
    group.lanes[group.count++] = lane;
    if (group.count == PlaceLanes<kUnknown>::Band::lanes()) {
      check_group(reference, view, group, ends);
    }
  }

  template <bool kUnknown>
  HWY_INLINE void check_group(const sequence::Reference& reference, const PlaceView& view, PlaceLanes<kUnknown>& group,
                              std::vector<Hit>& ends) {
    using Band = typename PlaceLanes<kUnknown>::Band;
    auto& band = group.band;
    const std::size_t count = std::exchange(group.count, 0);
    if (count == 0) {
      return;
    }
    const std::uint32_t k = view.max_edits;
    std::uint32_t longest = 0;
    for (std::size_t l = 0; l < count; ++l) {
      longest = std::max<std::uint32_t>(longest, group.lanes[l].query->length);
    }
    band.begin(longest);
    bool same_length = true;
    for (std::size_t l = 0; l < count; ++l) {
      band.set_length(l, group.lanes[l].query->length);
      same_length = same_length && group.lanes[l].query->length == longest;
    }
    const sequence::PlaneBlock* planes = reference.planes().data();
    for (std::size_t w = 0; 64 * w < longest + Band::kBand; ++w) {
      for (std::size_t l = 0; l < count; ++l) {
        const auto& [query, place] = group.lanes[l];
        if (64 * w < query->length + Band::kBand) {
          const auto text = sequence::planes_at(planes, place.end + 1 - query->length - k + 64 * w);
          band.set_text(l, text.high, text.low);
          if constexpr (kUnknown) {
            const std::uint64_t at = place.end + 1 - query->length - k + 64 * w;
            const std::uint64_t* ambiguous = reference.ambiguous().data() + at / 64;
            band.set_unknown(l, sequence::funnel_shift_right(ambiguous[0], ambiguous[1], at % 64));
          }
        }
        if (64 * w < query->length) {
          const auto bases = view.block(*query, static_cast<std::uint32_t>(w));
          band.set_read(l, bases.high, bases.low);
        }
      }
      band.end_words(w);
    }
    band.compute(same_length);
    for (std::size_t l = 0; l < count; ++l) {
      if (band.smallest(l) > k) {
        continue;
      }
      const QueryPlace& place = group.lanes[l].place;
      match::for_each_end(band.distance(l), band.vp(l), band.vn(l), 2 * k + 1, k,
                          [&](std::uint32_t bit, std::uint32_t distance) {
                            ends.push_back({place.end - k + bit, place.query, static_cast<std::uint16_t>(distance)});
                          });
    }
  }

  PlaceLanes<false> clear_;
  PlaceLanes<true> with_unknown_;
};

void check_edits(const sequence::Reference& reference, const PlaceView& view, std::span<const QueryPlace> places,
                 std::vector<Hit>& ends) {
  if (2 * view.max_edits + 1 <= 16) {
    static thread_local EditCheck<std::uint16_t> check;
    check.run(reference, view, places, ends);
  } else {
    static thread_local EditCheck<std::uint32_t> check;
    check.run(reference, view, places, ends);
  }
}

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::scan {

namespace {

// Letters around a place that a check may read, besides those that a match can have.
constexpr std::uint64_t kMargin = 192;
// A match with at most kMostPlaceEdits edits that ends in the margin would be in a gap with more of its letters than
// that.
static_assert(kMargin + kMostPlaceEdits < sequence::kContigGap - kMostPlaceEdits);

HWY_EXPORT(check_mismatches);
HWY_EXPORT(check_edits);

}  // namespace

PlaceCheck::PlaceCheck(const std::vector<Query>& queries, const ScanOptions& options)
    : queries_(queries.size()),
      max_edits_(options.max_edits),
      no_gaps_(options.metric == Metric::hamming),
      three_prime_(options.pam.three_prime) {
  static_assert(kMaxPatternLength <= UINT16_MAX);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (!takes(queries[q], options)) {
      takes_all_ = false;
      continue;
    }
    const std::string_view bases = queries[q].bases;
    queries_[q] = {sequence::planes_of(bases.substr(0, 64)), static_cast<std::uint16_t>(bases.size()),
                   queries[q].pam_last > 0, static_cast<std::uint32_t>(more_.size())};
    append_blocks(bases.substr(std::min<std::size_t>(bases.size(), 64)), more_);
  }
}

// Whether the exact 3' end, or its first letters, is on one of the diagonals that a match at the place may have.
bool PlaceCheck::may_have_three_prime(const TextView& text, const QueryPlace& place) const {
  const PlaceQuery& query = queries_[place.query];
  const std::uint32_t slack = view().slack(), first = query.three_prime_last ? query.length - three_prime_ : 0;
  const std::uint64_t begin = place.end + 1 - query.length + first - slack;
  const auto here = text.planes_at(begin);
  const auto letters = view().bases(query, first);
  const std::uint64_t unknown = text.ambiguous_at(begin);
  const std::uint64_t compared = ~std::uint64_t{0} >> (64 - std::min(three_prime_, 64 - 2 * slack));
  bool may_have = false;
  for (std::uint32_t s = 0; s <= 2 * slack; ++s) {
    may_have |= ((((here.high >> s) ^ letters.high) | ((here.low >> s) ^ letters.low) | unknown >> s) & compared) == 0;
  }
  return may_have;
}

void PlaceCheck::check(const sequence::Reference& reference, std::span<const QueryPlace> places,
                       std::vector<Hit>& ends) const {
  static thread_local std::vector<QueryPlace> inside;
  inside.clear();
  const TextView text(reference);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const QueryPlace& place = places[i];
    __builtin_prefetch(&queries_[places[std::min(i + 16, places.size() - 1)].query]);
    if (place.end + 1 >= queries_[place.query].length + view().slack() && place.end + kMargin < reference.size() &&
        (three_prime_ == 0 || may_have_three_prime(text, place))) {
      inside.push_back(place);
    }
  }
  const std::size_t before = ends.size();
  if (no_gaps_) {
    HWY_DYNAMIC_DISPATCH(check_mismatches)(reference, view(), inside, ends);
  } else {
    HWY_DYNAMIC_DISPATCH(check_edits)(reference, view(), inside, ends);
  }
  if (three_prime_ > 0) {
    const auto has_other_end = [&](const Hit& hit) {
      const PlaceQuery& query = queries_[hit.id];
      return query.three_prime_last &&
             mismatches(text, view(), query, hit.end, query.length - three_prime_, three_prime_, 0) > 0;
    };
    ends.erase(std::remove_if(ends.begin() + static_cast<std::ptrdiff_t>(before), ends.end(), has_other_end),
               ends.end());
  }
}

}  // namespace trawl::scan

#endif  // HWY_ONCE
