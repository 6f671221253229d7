#include "align/alignment.hpp"

#include <algorithm>
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

bool is_written_before(const Alignment& a, const Alignment& b) {
  return a.score != b.score ? a.score > b.score : place_of(a) < place_of(b);
}

// The places of a mate in concordant pairs become those of the mate alone, the primary one first, unless it stays in
// its pair.
void take_from_pairs(AlignmentBatch& batch, std::size_t r, bool primary_stays) {
  ReadResult& read = batch.reads[r];
  const PairResult& pair = batch.pairs[r / 2];
  std::vector<std::uint32_t> in_pairs;
  for (std::uint64_t p = pair.first + 1; p < pair.first + pair.count; ++p) {
    in_pairs.push_back(batch.concordant_pairs[p].mates[r % 2]);
  }
  const std::uint32_t primary = batch.concordant_pairs[pair.first].mates[r % 2];
  std::sort(in_pairs.begin(), in_pairs.end());
  in_pairs.erase(std::unique(in_pairs.begin(), in_pairs.end()), in_pairs.end());
  std::erase(in_pairs, primary);
  std::vector<Alignment> own;
  if (!primary_stays) {
    own.push_back(batch.alignments[primary]);
  }
  for (const std::uint32_t a : in_pairs) {
    own.push_back(batch.alignments[a]);
  }
  for (std::uint64_t a = read.first; a < read.first + read.count; ++a) {
    own.push_back(batch.alignments[a]);
  }
  sort_if_needed(own.data() + (primary_stays ? 0 : 1), own.data() + own.size(), is_written_before);
  read.first = batch.alignments.size();
  read.count = static_cast<std::uint32_t>(own.size());
  read.dropped += pair.dropped;
  batch.alignments.insert(batch.alignments.end(), own.begin(), own.end());
}

void leave_unmapped(ReadResult& read) {
  read.count = 0;
  read.dropped = 0;
  read.supplementary_count = 0;
}

// `mates`: 1, or 2 of the pair that begins with read `first`.
void limit_loci(AlignmentBatch& batch, std::size_t first, std::size_t mates, const LociLimit& max_loci) {
  PairResult no_pair;
  PairResult& pair = mates == 2 ? batch.pairs[first / 2] : no_pair;
  bool has_many[2] = {false, false};
  for (std::size_t m = 0; m < mates; ++m) {
    const ReadResult& read = batch.reads[first + m];
    has_many[m] = std::uint64_t{read.count} + read.dropped + pair.count + pair.dropped > max_loci.most;
  }
  if (!has_many[0] && !has_many[1]) {
    return;
  }
  for (std::size_t m = 0; m < mates; ++m) {
    ReadResult& read = batch.reads[first + m];
    if (!has_many[m]) {
      if (pair.count > 0) {
        take_from_pairs(batch, first + m, max_loci.keeps_one);
      }
      continue;
    }
    read.max_loci = max_loci.most;
    if (max_loci.keeps_one) {
      primary_of(batch, first + m)->mapq = 0;
      read.count = pair.count > 0 ? 0 : 1;
      read.dropped = read.supplementary_count = 0;
    } else {
      leave_unmapped(read);
      read.unmapped = Unmapped::many_loci;
      read.best_count = 0;
    }
  }
  if (max_loci.keeps_one) {
    pair.count = std::min(pair.count, 1u);  // the primary pair, in which both mates stay
    pair.dropped = 0;
    return;
  }
  const bool has_mapped = mates == 2 && batch.reads[first].count + batch.reads[first + 1].count > 0;
  pair = {.kind = has_mapped ? PairKind::one_end : PairKind::unmapped};
}

}  // namespace

void leave_unmapped(AlignmentBatch& batch, const LociLimit& max_loci, bool one_end) {
  const std::size_t step = batch.pairs.empty() ? 1 : 2;
  for (std::size_t r = 0; max_loci.most > 0 && r < batch.reads.size(); r += step) {
    limit_loci(batch, r, batch.mates_from(r), max_loci);
  }
  for (std::size_t p = 0; !one_end && p < batch.pairs.size(); ++p) {
    if (batch.pairs[p].kind == PairKind::one_end) {
      leave_unmapped(batch.reads[2 * p]);
      leave_unmapped(batch.reads[2 * p + 1]);
    }
  }
}

void sort_records(AlignmentBatch& batch) {
  for (std::size_t r = 0; r < batch.reads.size(); ++r) {
    const ReadResult& read = batch.reads[r];
    const bool has_primary = batch.pairs.empty() || batch.pairs[r / 2].count == 0;
    if (read.count > (has_primary ? 1u : 0u)) {
      Alignment* const first = batch.alignments.data() + read.first;
      sort_if_needed(first + (has_primary ? 1 : 0), first + read.count, is_written_before);
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
