// Concordant pairs on the device, by the rules of align/pairing.hpp and align/pair_mapq.hpp. Reads 2 p and 2 p + 1 are
// the mates of pair p.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/pair_mapq.hpp"
#include "align/pairing.hpp"
#include "align/select.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/select.hpp"

namespace trawl::gpu {

/// The alignment of a locus that may be in a pair.
struct AlignedLocus {
  std::uint64_t begin = 0;
  std::uint32_t span = 0;
  std::uint32_t cost = 0;  // Phred
};

/// All loci of a batch of pairs, and which of them are aligned: locus l if places[l + 1] > places[l]; then its
/// alignment is aligned[places[l]].
struct PairsView {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* loci = nullptr;  // of each read, those of the forward strand first, ascending
  const std::uint32_t* spreads = nullptr;
  const std::uint32_t* first_locus = nullptr;
  const std::uint32_t* places = nullptr;
  const AlignedLocus* aligned = nullptr;
  LocusFormat format;
  align::PairRule pairs;
  align::InsertModel inserts;
  align::ReportRule rule;
};

/// A mate as align::Pairing needs it.
struct DeviceMate {
  TRAWL_HOST_DEVICE DeviceMate(const PairsView& view, std::uint64_t r)
      : view_(view),
        first_(view.first_locus[r]),
        count_(view.first_locus[r + 1] - first_),
        length(view.reads.reads[r].length),
        max_edits(view.reads.reads[r].max_edits) {
    const std::uint64_t* const own = view.loci + first_;
    const LocusFormat format = view.format;
    forward_ = static_cast<std::uint32_t>(
        first_where(count_, [own, format](std::uint64_t i) { return format.reverse(own[i]); }));
  }

  TRAWL_HOST_DEVICE std::uint32_t count() const { return count_; }
  TRAWL_HOST_DEVICE std::uint32_t first_reverse() const { return forward_; }
  TRAWL_HOST_DEVICE std::uint64_t end(std::uint32_t i) const { return view_.format.end(view_.loci[first_ + i]); }
  TRAWL_HOST_DEVICE std::uint32_t distance(std::uint32_t i) const {
    return view_.format.distance(view_.loci[first_ + i]);
  }
  TRAWL_HOST_DEVICE std::uint32_t spread(std::uint32_t i) const { return view_.spreads[first_ + i]; }
  TRAWL_HOST_DEVICE bool is_aligned(std::uint32_t i) const {
    return view_.places[first_ + i + 1] != view_.places[first_ + i];
  }
  TRAWL_HOST_DEVICE align::Extent extent(std::uint32_t i) const {
    const AlignedLocus& aligned = view_.aligned[place(i)];
    return {aligned.begin, aligned.begin + aligned.span, i >= forward_};
  }
  TRAWL_HOST_DEVICE std::uint64_t cost(std::uint32_t i) const { return view_.aligned[place(i)].cost; }
  TRAWL_HOST_DEVICE std::uint32_t place(std::uint32_t i) const { return view_.places[first_ + i]; }
  /// Index among the loci of the batch.
  TRAWL_HOST_DEVICE std::uint32_t index(std::uint32_t i) const { return first_ + i; }

 private:
  const PairsView& view_;
  std::uint32_t first_;
  std::uint32_t count_;
  std::uint32_t forward_ = 0;

 public:
  std::uint32_t length;
  std::uint32_t max_edits;
};

/// The two mates of pair p.
struct DevicePair {
  struct ContigAt {
    const ReferenceView& reference;
    TRAWL_HOST_DEVICE align::ContigRange operator()(std::uint64_t position) const {
      const ContigSpan& contig = reference.contigs[reference.contig_at(position)];
      return {contig.offset, contig.offset + contig.length};
    }
  };

  TRAWL_HOST_DEVICE DevicePair(const PairsView& view, std::uint64_t p)
      : first(view, 2 * p),
        second(view, 2 * p + 1),
        contig_at{view.reference},
        pairing(view.pairs.orientation, view.inserts, first, second, contig_at) {}

  DeviceMate first;
  DeviceMate second;
  ContigAt contig_at;
  align::Pairing<DeviceMate, ContigAt> pairing;
};

/// What is found for each pair, by threads for each locus of its first mate.
struct PairSearch {
  std::uint32_t* smallest_sums = nullptr;  // of the pairs that are certain; align::kAnySum: none is
  align::PairKey* keys = nullptr;          // of the best pairs
  align::PairSums* sums = nullptr;
};

/// Item p is a pair: the start values.
struct StartPairs {
  PairSearch search;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    search.smallest_sums[p] = align::kAnySum;
    search.keys[p] = {};
    search.sums[p] = {};
  }
};

/// Calls visit(pair number, pair, a) if locus l is locus a of a first mate.
template <class Visit>
TRAWL_HOST_DEVICE void with_pair_of(const PairsView& view, std::uint64_t l, const Visit& visit) {
  const std::uint64_t r = view.format.read(view.loci[l]);
  if (r % 2 == 0) {
    visit(r / 2, DevicePair(view, r / 2), static_cast<std::uint32_t>(l - view.first_locus[r]));
  }
}

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
    const DeviceComparison comparison{reference, reads.strand(2 * r + reverse)};
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
      result.count = static_cast<std::uint32_t>(choice.reported - result.dropped);
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

/// Item l is a locus: lists its pairs. `keys` sort them by pair, then the primary one first, then by their sum of
/// edits; the order of equal ones is canonical.
struct ListPairs {
  PairsView view;
  PairSearch search;
  const align::PairChoice* choices;
  const std::uint32_t* first_entry;  // [locus]
  std::uint64_t* entries;            // places of the two alignments
  std::uint64_t* keys;
  std::uint32_t* order;

  static constexpr unsigned kSumBits = 7;
  static_assert(2 * kMaxDeviceEdits + 2 < (1u << kSumBits));

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    std::uint32_t at = first_entry[l];
    if (at == first_entry[l + 1]) {
      return;
    }
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      const align::PairChoice& choice = choices[p];
      pair.pairing.for_each_concordant(a, reported_sums(view, search, p), [&](std::uint32_t b, std::uint64_t) {
        const bool is_primary = a == choice.first && b == choice.second;
        entries[at] = std::uint64_t{pair.first.place(a)} << 32 | pair.second.place(b);
        keys[at] = p << kSumBits | (is_primary ? 0 : pair.pairing.sum(a, b) + 1);
        order[at] = at;
        ++at;
      });
    });
  }
};

/// Item p is a pair: reports its primary pair, and no other.
struct PutPrimaryPairs {
  PairsView view;
  const align::PairResult* results;
  const align::PairChoice* choices;
  std::uint64_t* reported;  // as in PutPairs
  std::uint32_t* used;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    if (results[p].count > 0) {
      const std::uint32_t first = view.places[view.first_locus[2 * p] + choices[p].first];
      const std::uint32_t second = view.places[view.first_locus[2 * p + 1] + choices[p].second];
      reported[results[p].first] = std::uint64_t{first} << 32 | second;
      used[first] = 1;
      used[second] = 1;
    }
  }
};

/// Item i is a listed pair, in sorted order: reports it, unless max_hits leaves it out.
struct PutPairs {
  const std::uint64_t* entries;
  const std::uint64_t* keys;
  const std::uint32_t* order;
  PairsView view;
  const std::uint32_t* first_entry;  // [locus]
  const std::uint32_t* first_pair;   // [pair]
  std::uint64_t* reported;           // [pair reported]: places of the two alignments
  std::uint32_t* used;               // [aligned locus]: 1 if it is in a reported pair

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t p = keys[i] >> ListPairs::kSumBits;
    const std::uint64_t rank = i - first_entry[view.first_locus[2 * p]];
    const std::uint32_t begin = first_pair[p];
    if (rank >= first_pair[p + 1] - begin) {
      return;
    }
    const std::uint64_t entry = entries[order[i]];
    reported[begin + rank] = entry;
    used[entry >> 32] = 1;
    used[entry & 0xffffffffu] = 1;
  }
};

/// Item i is an aligned locus: keeps it if it is in a reported pair.
struct KeepUsed {
  const std::uint32_t* positions;  // exclusive sum of PutPairs::used
  const std::uint64_t* records;
  const RecordPath* paths;
  std::uint64_t* kept_records;
  RecordPath* kept_paths;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (positions[i + 1] != positions[i]) {
      kept_records[positions[i]] = records[i];
      kept_paths[positions[i]] = paths[i];
    }
  }
};

/// Item i is a reported pair: its alignments are those at these positions.
struct FinishPairs {
  const std::uint64_t* reported;
  const std::uint32_t* positions;
  align::AlignmentPair* pairs;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    pairs[i] = {{positions[reported[i] >> 32], positions[reported[i] & 0xffffffffu]}};
  }
};

/// Item p is a pair: where its reported pairs begin.
struct PlacePairs {
  const std::uint32_t* first_pair;
  align::PairResult* results;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    results[p].first = results[p].count > 0 ? first_pair[p] : 0;
  }
};

/// Item l is a locus: adds the weights of its pairs to the sums of its pair of mates.
struct WeighPairs {
  PairsView view;
  PairSearch search;
  const align::PairResult* results;
  const align::PairChoice* choices;
  const align::MapqModel* model;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      if (results[p].count == 0) {
        return;
      }
      const align::PairSums sums = align::weigh_pairs(pair.pairing, a, choices[p], *model);
      if (sums.first > 0) {
        add_to(&search.sums[p].first, sums.first);
      }
      if (sums.second > 0) {
        add_to(&search.sums[p].second, sums.second);
      }
    });
  }
};

/// Item p is a pair: computes the start values of its mates' mapping quality.
struct StartPairQualities {
  PairsView view;
  const align::PairResult* results;
  const align::PairChoice* choices;
  const align::MapqModel* model;
  align::QualitySum* sums;  // [read]

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    if (results[p].count > 0) {
      const DevicePair pair(view, p);
      start(2 * p, pair.first.cost(choices[p].first));
      start(2 * p + 1, pair.second.cost(choices[p].second));
    }
  }

 private:
  TRAWL_HOST_DEVICE void start(std::uint64_t r, std::uint64_t cost) const {
    const ReadEntry& read = view.reads.reads[r];
    const char* const qualities = strand_qualities(view.reads, read, false).qualities;
    align::QualitySum sum;
    sum.start(*model, cost, align::average_cost(*model, qualities, read.length), read.max_edits);
    sums[r] = sum;
  }
};

/// Item p is a pair: computes the mapping qualities of its primary pair.
struct PutPairQualities {
  const align::PairResult* results;
  const align::PairChoice* choices;
  const align::QualitySum* sums;
  const align::PairSums* pair_sums;
  const align::AlignmentPair* pairs;
  align::InsertModel inserts;
  const align::MapqModel* model;
  align::Alignment* alignments;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    if (results[p].count == 0) {
      return;
    }
    const align::AlignmentPair& primary = pairs[results[p].first];
    const align::QualitySum& first = sums[2 * p];
    const align::QualitySum& second = sums[2 * p + 1];
    alignments[primary.mates[0]].mapq = static_cast<std::uint8_t>(
        align::mate_quality(*model, pair_sums[p].first, first, second, inserts.cost(choices[p].insert)));
    alignments[primary.mates[1]].mapq = static_cast<std::uint8_t>(
        align::mate_quality(*model, pair_sums[p].second, second, first, inserts.cost(choices[p].insert)));
  }
};

/// Item i is a record of a mate alone: keeps it unless its locus is in a reported pair.
struct MarkNotInPairs {
  PairsView view;
  const std::uint32_t* positions;  // as in KeepUsed
  const std::uint64_t* records;
  std::uint32_t* kept;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t locus = records[i];
    const std::uint64_t r = view.format.read(locus);
    const std::uint32_t first = view.first_locus[r];
    const std::uint64_t* const own = view.loci + first;
    const LocusFormat format = view.format;
    const std::uint64_t l = first + first_where(view.first_locus[r + 1] - first, [own, format, locus](std::uint64_t k) {
                              return format.reverse(own[k]) != format.reverse(locus)
                                         ? format.reverse(own[k])
                                         : format.end(own[k]) >= format.end(locus);
                            });
    const std::uint32_t place = view.places[l];
    kept[i] = view.places[l + 1] == place || positions[place + 1] == positions[place];
  }
};

/// Item i is a record of a mate alone: moves it to its new position, if it is kept.
struct MoveKept {
  const std::uint32_t* positions;
  const std::uint64_t* records;
  std::uint64_t* kept_records;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (positions[i + 1] != positions[i]) {
      kept_records[positions[i]] = records[i];
    }
  }
};

/// Item r is a read: its records are only those that were kept.
struct PlaceKept {
  const std::uint32_t* positions;
  align::ReadResult* results;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    const std::uint64_t first = results[r].first;
    results[r].count = positions[first + results[r].count] - positions[first];
    results[r].first = positions[first];
  }
};

}  // namespace trawl::gpu
