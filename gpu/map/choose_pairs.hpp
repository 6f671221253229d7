// Which loci of mates form concordant pairs, and which pair is the primary one, by the rules of align/pairing.hpp.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/pair_mapq.hpp"
#include "align/pairing.hpp"
#include "align/select.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/pairs.hpp"
#include "gpu/map/select.hpp"

namespace trawl::gpu {

/// Item p is a pair: the start values.
struct StartPairs {
  PairSearch search;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    search.smallest_sums[p] = align::kAnySum;
    search.keys[p] = {};
    search.sums[p] = {};
  }
};

/// Item l is a locus: finds the smallest sum of its pairs that are certain.
struct FindSmallestSums {
  PairsView view;
  PairSearch search;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      std::uint32_t smallest = align::kAnySum;
      pair.pairing.for_each_possible(a, [&](std::uint32_t b, bool certain) {
        const std::uint32_t sum = pair.pairing.sum(a, b);
        smallest = certain && sum < smallest ? sum : smallest;
      });
      if (smallest != align::kAnySum) {
        lower_to(&search.smallest_sums[p], smallest);
      }
    });
  }
};

/// Item l is a locus: marks the loci of its pairs that must be aligned.
struct MarkPairLoci {
  PairsView view;
  PairSearch search;
  std::uint32_t* marks;  // [locus]; become view.places by an exclusive sum

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      const std::uint32_t limit = align::sum_limit(view.rule, align::kPairStrata, search.smallest_sums[p]);
      pair.pairing.for_each_possible(a, [&](std::uint32_t b, bool) {
        if (pair.pairing.sum(a, b) <= limit) {
          marks[l] = 1;
          marks[pair.second.index(b)] = 1;
        }
      });
    });
  }
};

/// Item l is a locus: lists it if it must be aligned.
struct ListMarkedLoci {
  const std::uint64_t* loci;
  const std::uint32_t* places;
  std::uint64_t* records;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    if (places[l + 1] != places[l]) {
      records[places[l]] = loci[l];
    }
  }
};

/// Item i is an aligned locus: where its alignment lies, and what it costs.
struct MeasureAligned {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* records;
  LocusFormat format;
  PathsView paths;
  const align::MapqModel* model;
  AlignedLocus* aligned;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t r = format.read(records[i]);
    const bool reverse = format.reverse(records[i]);
    const ReadEntry& read = reads.reads[r];
    const DeviceComparison comparison{reference, reads.strand(2 * r + reverse), reads.sets_of(2 * r + reverse)};
    AlignedLocus found;
    found.begin = paths.paths[i].start;
    align::PathCost<DeviceComparison> cost{*model, comparison, strand_qualities(reads, read, reverse), found.begin};
    paths.for_each_run(i, read.length, [&](match::Step step, std::uint32_t run) { cost.add(step, run); });
    found.span = static_cast<std::uint32_t>(cost.position - found.begin);
    found.cost = static_cast<std::uint32_t>(cost.cost);
    aligned[i] = found;
  }
};

/// Item l is a locus: finds the best of its concordant pairs.
struct FindBestPairs {
  PairsView view;
  PairSearch search;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      align::PairKey best;
      pair.pairing.for_each_concordant(a, align::sum_limit(view.rule, align::kPairStrata, search.smallest_sums[p]),
                                       [&](std::uint32_t b, std::uint64_t size) {
                                         const align::PairKey key = pair.pairing.key(a, b, size);
                                         best = key.value < best.value ? key : best;
                                       });
      if (best.found()) {
        lower_to(&search.keys[p].value, best.value);
      }
    });
  }
};

/// The sums of edits up to which the pairs of pair p are reported.
TRAWL_HOST_DEVICE inline std::uint32_t reported_sums(const PairsView& view, const PairSearch& search, std::uint64_t p) {
  return align::report_limit(view.rule, search.keys[p].sum(),
                             align::sum_limit(view.rule, align::kPairStrata, search.smallest_sums[p]));
}

/// Item l is a locus: counts its best pairs, and those that the rule reports.
struct CountPairs {
  PairsView view;
  PairSearch search;
  std::uint32_t* ties;      // [locus]
  std::uint32_t* reported;  // [locus]
  std::uint64_t* all_reported;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    std::uint32_t tie_count = 0;
    std::uint32_t count = 0;
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      if (search.keys[p].found()) {
        pair.pairing.for_each_concordant(a, reported_sums(view, search, p), [&](std::uint32_t b, std::uint64_t size) {
          ++count;
          tie_count += pair.pairing.key(a, b, size).value == search.keys[p].value;
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
  PairSearch search;
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
      reads.primaries[2 * p] = view.loci[pair.first.index(choice.first)];
      reads.primaries[2 * p + 1] = view.loci[pair.second.index(choice.second)];
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
    choice.key = search.keys[p];
    if (!choice.found()) {
      return choice;
    }
    const std::uint32_t begin = view.first_locus[2 * p];
    const std::uint32_t count = pair.first.count();
    const ReadEntry& read = view.reads.reads[2 * p];
    const std::uint32_t all_ties = ties[begin + count] - ties[begin];
    std::uint64_t skip = align::name_hash(view.reads.text + read.name, read.name_length) % all_ties;
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
