#include "align/alignment.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace trawl::align {

namespace {

auto place_of(const Alignment& a) { return std::tuple(a.contig, a.start, a.reverse); }

// Most often they are in order already. What is equal stays as the engine ordered it: by end.
template <class Item, class GoesBefore>
void sort_if_needed(Item* first, Item* last, const GoesBefore& goes_before) {
  if (!std::is_sorted(first, last, goes_before)) {
    std::stable_sort(first, last, goes_before);
  }
}

}  // namespace

void sort_records(AlignmentBatch& batch) {
  for (std::size_t r = 0; r < batch.reads.size(); ++r) {
    const ReadResult& read = batch.reads[r];
    const bool has_primary = batch.pairs.empty() || batch.pairs[r / 2].count == 0;
    if (read.count > (has_primary ? 1u : 0u)) {
      Alignment* const first = batch.alignments.data() + read.first;
      sort_if_needed(first + (has_primary ? 1 : 0), first + read.count, [](const Alignment& a, const Alignment& b) {
        return a.score != b.score ? a.score > b.score : place_of(a) < place_of(b);
      });
    }
  }
  const auto mate = [&](const AlignmentPair& pair, int m) -> const Alignment& {
    return batch.alignments[pair.mates[m]];
  };
  const auto score = [&](const AlignmentPair& pair) { return std::int64_t{mate(pair, 0).score} + mate(pair, 1).score; };
  const auto places = [&](const AlignmentPair& pair) {
    return std::tuple_cat(place_of(mate(pair, 0)), place_of(mate(pair, 1)));
  };
  for (const PairResult& pair : batch.pairs) {
    if (pair.count > 1) {
      AlignmentPair* const first = batch.concordant_pairs.data() + pair.first;
      sort_if_needed(first + 1, first + pair.count, [&](const AlignmentPair& a, const AlignmentPair& b) {
        return score(a) != score(b) ? score(a) > score(b) : places(a) < places(b);
      });
    }
  }
}

}  // namespace trawl::align
