// The mates of a batch of pairs on the device, by the rules of align/pairing.hpp: which loci form concordant pairs, and
// which pair is the primary one. Reads 2 p and 2 p + 1 are the mates of pair p.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/pairing.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/chosen_reads.hpp"
#include "gpu/map/loci.hpp"

namespace trawl::gpu {

/// The alignment of a locus that may be in a pair.
struct AlignedLocus {
  std::uint64_t begin = 0;
  std::uint32_t span = 0;
  std::uint32_t cost = 0;  // Phred
};

/// All loci of a batch of pairs, and which of them are aligned: locus l if places[l + 1] > places[l]; then its
/// alignment is aligned[places[l]].
struct PairsView : BatchView {
  const std::uint32_t* places = nullptr;
  const AlignedLocus* aligned = nullptr;
  align::PairRule pairs;
  align::InsertModel inserts;
};

/// A mate as align::Pairing needs it.
struct DeviceMate {
  TRAWL_HOST_DEVICE DeviceMate(const PairsView& view, std::uint64_t r)
      : view_(view),
        first_(view.loci.first[r]),
        count_(view.loci.first[r + 1] - first_),
        length_(view.reads.reads[r].length),
        max_edits_(view.reads.reads[r].allowed_edits) {
    const std::uint64_t* const own = view.loci.loci + first_;
    const LocusFormat format = view.format;
    forward_ = static_cast<std::uint32_t>(
        first_where(count_, [own, format](std::uint64_t i) { return format.reverse(own[i]); }));
  }

  TRAWL_HOST_DEVICE std::uint32_t count() const { return count_; }
  TRAWL_HOST_DEVICE std::uint32_t first_reverse() const { return forward_; }
  TRAWL_HOST_DEVICE std::uint64_t end(std::uint32_t i) const { return view_.format.end(view_.loci.loci[first_ + i]); }
  TRAWL_HOST_DEVICE std::uint32_t distance(std::uint32_t i) const {
    return view_.format.distance(view_.loci.loci[first_ + i]);
  }
  TRAWL_HOST_DEVICE std::uint32_t spread(std::uint32_t i) const { return Spread::ends(view_.loci.spreads[first_ + i]); }
  TRAWL_HOST_DEVICE std::uint64_t reach(std::uint32_t i) const { return end(i) + spread(i); }
  TRAWL_HOST_DEVICE std::uint32_t length(std::uint32_t) const { return length_; }
  TRAWL_HOST_DEVICE std::uint32_t edits(std::uint32_t i) const { return distance(i); }
  TRAWL_HOST_DEVICE std::uint32_t shortest() const { return length_ - max_edits_; }
  TRAWL_HOST_DEVICE std::uint32_t longest() const { return length_ + max_edits_; }
  TRAWL_HOST_DEVICE bool is_aligned(std::uint32_t i) const {
    return view_.places[first_ + i + 1] != view_.places[first_ + i];
  }
  TRAWL_HOST_DEVICE align::Extent extent(std::uint32_t i) const {
    const AlignedLocus& aligned = view_.aligned[place(i)];
    return {aligned.begin, aligned.begin + aligned.span, i >= forward_};
  }
  TRAWL_HOST_DEVICE std::uint64_t cost(std::uint32_t i) const { return view_.aligned[place(i)].cost; }
  TRAWL_HOST_DEVICE std::uint32_t place(std::uint32_t i) const { return view_.places[first_ + i]; }
  TRAWL_HOST_DEVICE align::ContigRange contig_at(std::uint64_t position) const {
    const ContigSpan& contig = view_.reference.contigs[view_.reference.contig_at(position)];
    return {contig.offset, contig.offset + contig.length, contig.repeated};
  }
  TRAWL_HOST_DEVICE bool has_circles() const { return view_.reference.has_circles; }
  /// Index among the loci of the batch.
  TRAWL_HOST_DEVICE std::uint32_t index(std::uint32_t i) const { return first_ + i; }

 private:
  const PairsView& view_;
  std::uint32_t first_;
  std::uint32_t count_;
  std::uint32_t forward_ = 0;
  std::uint32_t length_;
  std::uint32_t max_edits_;
};

/// The two mates of pair p.
struct DevicePair {
  TRAWL_HOST_DEVICE DevicePair(const PairsView& view, std::uint64_t p)
      : first(view, 2 * p), second(view, 2 * p + 1), pairing(view.pairs.orientation, view.inserts, first, second) {}

  DeviceMate first;
  DeviceMate second;
  align::Pairing<DeviceMate> pairing;
};

/// What is found for a pair, by threads for each locus of its first mate.
struct PairSearch {
  std::uint32_t smallest_sum = align::kAnySum;  // of the pairs that are certain; this: none is
  align::PairKey key;                           // of the best pairs
  align::PairSums sums;
};

/// Calls visit(pair number, pair, a) if locus l is locus a of a first mate.
template <class Visit>
TRAWL_HOST_DEVICE void with_pair_of(const PairsView& view, std::uint64_t l, const Visit& visit) {
  const std::uint64_t r = view.format.read(view.loci.loci[l]);
  if (r % 2 == 0) {
    visit(r / 2, DevicePair(view, r / 2), static_cast<std::uint32_t>(l - view.loci.first[r]));
  }
}

/// Item p is a pair: the start values.
struct StartPairs {
  PairSearch* search;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const { search[p] = {}; }
};

/// Item l is a locus: finds the smallest sum of its pairs that are certain.
struct FindSmallestSums {
  PairsView view;
  PairSearch* search;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      std::uint32_t smallest = align::kAnySum;
      pair.pairing.for_each_possible(a, [&](std::uint32_t b, bool certain) {
        const std::uint32_t sum = pair.pairing.sum(a, b);
        smallest = certain && sum < smallest ? sum : smallest;
      });
      if (smallest != align::kAnySum) {
        lower_to(&search[p].smallest_sum, smallest);
      }
    });
  }
};

/// Item i is a read or, with `pairs`, a pair. If it must be searched for more edits, sets these, and marks it.
/// Placements are not known yet. They would only make what is needed smaller.
struct FindNeeded {
  BatchView view;
  map::SearchDepth depth;
  const PairSearch* pairs;
  std::uint32_t* marked;  // [read]: what MarkUnproven says; becomes 1 if it is searched again

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    std::uint32_t needed[2];
    if (pairs == nullptr) {
      const map::SearchedRead read = searched_read(view, i, marked);
      needed[0] = depth.needed(read, view.model->weighs_damage() ? 1 : read.count);
    } else {
      const map::SearchedRead mates[2] = {searched_read(view, 2 * i, marked), searched_read(view, 2 * i + 1, marked)};
      depth.needed_for_pair(mates, pairs[i].smallest_sum, needed);
    }
    const unsigned mates = pairs == nullptr ? 1 : 2;
    for (unsigned m = 0; m < mates; ++m) {
      ReadEntry& read = view.reads.reads[mates * i + m];
      marked[mates * i + m] = needed[m] > read.max_edits;
      read.max_edits = needed[m] > read.max_edits ? static_cast<std::uint16_t>(needed[m]) : read.max_edits;
    }
  }
};

/// Item l is a locus: marks the loci of its pairs that must be aligned.
struct MarkPairLoci {
  PairsView view;
  PairSearch* search;
  std::uint32_t* marks;  // [locus]; become view.places by an exclusive sum

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      const std::uint32_t limit = align::sum_limit(view.rule, align::kPairStrata, search[p].smallest_sum);
      pair.pairing.for_each_possible(a, [&](std::uint32_t b, bool) {
        if (pair.pairing.sum(a, b) <= limit) {
          marks[l] = 1;
          marks[pair.second.index(b)] = 1;
        }
      });
    });
  }
};

/// Item i is an aligned locus: where its alignment lies, and what it costs.
struct MeasureAligned {
  BatchView view;
  const std::uint64_t* records;
  PathsView paths;
  AlignedLocus* aligned;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t begin = paths.paths[i].start;
    const MeasuredPath path = path_cost(view, paths, records[i], i);
    aligned[i] = {begin, static_cast<std::uint32_t>(path.end - begin), static_cast<std::uint32_t>(path.cost)};
  }
};

/// Item l is a locus: finds the best of its concordant pairs.
struct FindBestPairs {
  PairsView view;
  PairSearch* search;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      align::PairKey best;
      pair.pairing.for_each_concordant(a, align::sum_limit(view.rule, align::kPairStrata, search[p].smallest_sum),
                                       [&](std::uint32_t b, std::uint64_t size) {
                                         const align::PairKey key = pair.pairing.key(a, b, size);
                                         best = key.value < best.value ? key : best;
                                       });
      if (best.found()) {
        lower_to(&search[p].key.value, best.value);
      }
    });
  }
};

/// The sums of edits up to which the pairs of pair p are reported.
TRAWL_HOST_DEVICE inline std::uint32_t reported_sums(const PairsView& view, const PairSearch* search, std::uint64_t p) {
  return align::report_limit(view.rule, search[p].key.sum(),
                             align::sum_limit(view.rule, align::kPairStrata, search[p].smallest_sum));
}

/// Item l is a locus: counts its best pairs, and those that the rule reports.
struct CountPairs {
  PairsView view;
  PairSearch* search;
  std::uint32_t* ties;      // [locus]
  std::uint32_t* reported;  // [locus]
  std::uint64_t* all_reported;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    std::uint32_t tie_count = 0;
    std::uint32_t count = 0;
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      if (search[p].key.found()) {
        pair.pairing.for_each_concordant(a, reported_sums(view, search, p), [&](std::uint32_t b, std::uint64_t size) {
          ++count;
          tie_count += pair.pairing.key(a, b, size).value == search[p].key.value;
        });
      }
    });
    ties[l] = tie_count;
    reported[l] = count;
    if (count > 0) {
      add_to(all_reported, count);
    }
  }
};

/// Item p is a pair: picks its primary pair, and decides what is reported for the mates alone.
struct ChoosePairs {
  PairsView view;
  PairSearch* search;
  const std::uint32_t* ties;      // [locus]: of all loci before it
  const std::uint32_t* reported;  // the same
  align::PairResult* results;     // `first` is not set yet
  align::PairChoice* choices;
  std::uint32_t* pair_counts;  // pairs to report
  ChosenReads reads;           // primaries become the loci in the primary pair

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    const DevicePair pair(view, p);
    const align::PairChoice choice = choose(p, pair);
    align::PairResult result;
    result.kind = align::kind_of(choice.found(), pair.first.count() > 0, pair.second.count() > 0);
    const std::uint32_t alone =
        (pair.first.count() > 0 ? reads.best[2 * p] : 0) + (pair.second.count() > 0 ? reads.best[2 * p + 1] : 0);
    const bool has_pairs = align::reports_pairs(view.pairs, view.rule, choice, alone);
    if (has_pairs) {
      result.dropped = choice.dropped(view.rule);
      result.count = static_cast<std::uint32_t>(choice.left(view.rule));
      result.insert = static_cast<std::uint32_t>(choice.insert);
      reads.primaries[2 * p] = view.loci.loci[pair.first.index(choice.first)];
      reads.primaries[2 * p + 1] = view.loci.loci[pair.second.index(choice.second)];
    }
    const bool has_alone = align::reports_alone(view.pairs, view.rule, result.kind, has_pairs);
    for (std::uint64_t r = 2 * p; r < 2 * p + 2; ++r) {
      if (!has_alone) {
        reads.results[r].count = 0;
        reads.results[r].dropped = 0;
        reads.record_counts[r] = 0;
      }
      if (has_pairs || !has_alone) {
        reads.weighed[r] = has_pairs ? WeighedLocus::of_pair : WeighedLocus::none;
      }
    }
    pair_counts[p] = result.count;
    results[p] = result;
    choices[p] = choice;
  }

 private:
  TRAWL_HOST_DEVICE align::PairChoice choose(std::uint64_t p, const DevicePair& pair) const {
    align::PairChoice choice;
    choice.key = search[p].key;
    if (!choice.found()) {
      return choice;
    }
    const std::uint32_t begin = view.loci.first[2 * p];
    const std::uint32_t count = pair.first.count();
    const std::uint32_t all_ties = ties[begin + count] - ties[begin];
    std::uint64_t skip = view.name_hash(2 * p) % all_ties;
    const std::uint32_t wanted = ties[begin] + static_cast<std::uint32_t>(skip);
    const std::uint32_t* const own = ties + begin;
    choice.first =
        static_cast<std::uint32_t>(first_where(count, [own, wanted](std::uint64_t a) { return own[a + 1] > wanted; }));
    skip = wanted - own[choice.first];
    pair.pairing.for_each_concordant(choice.first, choice.key.sum(), [&](std::uint32_t b, std::uint64_t size) {
      if (pair.pairing.key(choice.first, b, size).value == choice.key.value && skip-- == 0) {
        choice.second = b;
        choice.insert = size;
      }
    });
    choice.reported = view.rule.report == align::Report::best ? 1 : reported[begin + count] - reported[begin];
    return choice;
  }
};

}  // namespace trawl::gpu
