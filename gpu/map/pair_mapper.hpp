// Finds the concordant pairs of a batch on the device, once its loci are known: which loci may be in pairs, their
// alignments, the pairs, their records.
//
//   PairMapper<Space> pairs(work, maker, view);
//   pairs.choose<Word>(chosen);           // decides also which mates are reported alone
//   pairs.start_qualities(sums);   ... weigh all loci ...   pairs.put_qualities(sums);
//   pairs.download(batch);
#pragma once

#include <bit>
#include <cstdint>

#include "align/alignment.hpp"
#include "align/pairing.hpp"
#include "gpu/device/arena.hpp"
#include "gpu/map/chosen_reads.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/pairs.hpp"
#include "gpu/map/record_maker.hpp"

namespace trawl::gpu {

/// Item l is a locus: lists its pairs. `keys` sort them by pair, then the primary one first, then by their sum of
/// edits; the order of equal ones is canonical.
struct ListPairs {
  PairsView view;
  PairSearch* search;
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

/// Item p is a pair: says where its reported pairs begin, and reports its primary pair.
struct PutPrimaryPairs {
  PairsView view;
  const align::PairChoice* choices;
  const std::uint32_t* first_pair;  // [pair]
  align::PairResult* results;
  std::uint64_t* reported;  // as in PutPairs
  std::uint32_t* used;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    if (results[p].count > 0) {
      results[p].first = first_pair[p];
      const std::uint32_t first = view.places[view.loci.first[2 * p] + choices[p].first];
      const std::uint32_t second = view.places[view.loci.first[2 * p + 1] + choices[p].second];
      reported[first_pair[p]] = std::uint64_t{first} << 32 | second;
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
    const std::uint64_t first = first_entry[view.loci.first[2 * p]];
    const std::uint64_t all = first_entry[view.loci.first[2 * p + 2]] - first;
    const std::uint32_t begin = first_pair[p];
    const std::uint32_t count = first_pair[p + 1] - begin;
    std::uint64_t slot = i - first;
    if (slot > 0 && all > count && count > 0) {
      const auto sum = [&](std::uint64_t other) { return keys[first + 1 + other] & ((1u << ListPairs::kSumBits) - 1); };
      slot = 1 + align::KeptRecords(all - 1, count - 1, sum, view.name_hash(2 * p)).place(slot - 1);
      slot = slot == 0 ? count : slot;
    }
    if (slot >= count) {
      return;
    }
    const std::uint64_t entry = entries[order[i]];
    reported[begin + slot] = entry;
    used[entry >> 32] = 1;
    used[entry & 0xffffffffu] = 1;
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

/// Item i is a record of a mate alone: keeps it unless its locus is in a reported pair.
struct MarkNotInPairs {
  PairsView view;
  const std::uint32_t* positions;  // exclusive sum of PutPairs::used
  const std::uint64_t* records;
  std::uint32_t* kept;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t locus = records[i];
    const std::uint64_t r = view.format.read(locus);
    const std::uint32_t first = view.loci.first[r];
    const std::uint64_t* const own = view.loci.loci + first;
    const LocusFormat format = view.format;
    const std::uint64_t l = first + first_where(view.loci.first[r + 1] - first, [own, format, locus](std::uint64_t k) {
                              return format.reverse(own[k]) != format.reverse(locus)
                                         ? format.reverse(own[k])
                                         : format.end(own[k]) >= format.end(locus);
                            });
    const std::uint32_t place = view.places[l];
    kept[i] = view.places[l + 1] == place || positions[place + 1] == positions[place];
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

template <class Space>
class PairMapper {
 public:
  /// The smallest sums of the pairs; all else has its start values.
  static PairSearch* start(DeviceWork<Space>& work, const PairsView& view) {
    auto* const search = work.arena.template take<PairSearch>(view.reads.count / 2);
    work.space.for_each(view.reads.count / 2, StartPairs{search});
    work.space.for_each(view.loci.count, FindSmallestSums{view, search});
    return search;
  }

  PairMapper(DeviceWork<Space>& work, DeviceRecordMaker<Space>& maker, const PairsView& view)
      : work_(work),
        space_(work.space),
        maker_(maker),
        view_(view),
        loci_(view.loci.count),
        count_(view.reads.count / 2) {}

  /// Finds and writes the pairs. `reads`: what was chosen for each read as if it had no mate; of mates that are not
  /// reported alone, the records are taken out.
  template <class Word>
  void choose(const ChosenReads& reads) {
    search_ = start(work_, view_);
    std::uint32_t* const places = take<std::uint32_t>(loci_ + 1);
    space_.zero(places, loci_);
    space_.for_each(loci_, MarkPairLoci{view_, search_, places});
    const std::uint32_t aligned = work_.sum_up(places, loci_);
    view_.places = places;
    std::uint64_t* const records = take<std::uint64_t>(aligned);
    space_.for_each(loci_, KeepSome<std::uint64_t>{places, view_.loci.loci, records});
    const PathsView paths = maker_.template trace<Word>(records, aligned);
    auto* const measured = take<AlignedLocus>(aligned);
    space_.for_each(aligned, MeasureAligned{view_, records, paths, measured});
    view_.aligned = measured;

    results_ = take<align::PairResult>(count_);
    choices_ = take<align::PairChoice>(count_);
    std::uint32_t* const first_tie = take<std::uint32_t>(loci_ + 1);
    std::uint32_t* const first_entry = take<std::uint32_t>(loci_ + 1);
    std::uint32_t* const first_pair = take<std::uint32_t>(count_ + 1);
    std::uint64_t* const all_entries = take<std::uint64_t>(1);
    space_.zero(all_entries, 1);
    space_.for_each(loci_, FindBestPairs{view_, search_});
    space_.for_each(loci_, CountPairs{view_, search_, first_tie, first_entry, all_entries});
    const std::uint64_t entries = space_.fetch(all_entries);
    if (entries > kMostEntries) {
      throw OutOfRoom();
    }
    work_.to_places(first_tie, loci_);
    work_.to_places(first_entry, loci_);
    space_.for_each(count_, ChoosePairs{view_, search_, first_tie, first_entry, results_, choices_, first_pair, reads});
    work_.to_places(first_pair, count_);
    std::uint32_t* const used = take<std::uint32_t>(std::uint64_t{aligned} + 1);
    reported_ = space_.fetch(first_pair + count_);
    std::uint64_t* const reported = take<std::uint64_t>(reported_);
    pairs_ = take<align::AlignmentPair>(reported_);
    space_.zero(used, aligned);
    space_.for_each(count_, PutPrimaryPairs{view_, choices_, first_pair, results_, reported, used});
    if (view_.rule.report != align::Report::best) {
      put_pairs(entries, first_entry, first_pair, reported, used);
    }
    const std::uint32_t kept = work_.sum_up(used, aligned);
    space_.for_each(reported_, FinishPairs{reported, used, pairs_});
    positions_ = used;
    std::uint64_t* const kept_records = take<std::uint64_t>(kept);
    RecordPath* const kept_paths = take<RecordPath>(kept);
    space_.for_each(aligned, KeepSome<std::uint64_t>{used, records, kept_records});
    space_.for_each(aligned, KeepSome<RecordPath>{used, paths.paths, kept_paths});
    PathsView kept_view = paths;
    kept_view.paths = kept_paths;
    made_ = maker_.write(kept_records, kept, kept_view);
  }

  /// Takes out of the records of mates alone those whose loci are in reported pairs. Returns how many are left.
  std::uint32_t keep_not_in_pairs(std::uint64_t*& records, std::uint32_t count, align::ReadResult* results) {
    std::uint32_t* const kept = take<std::uint32_t>(std::uint64_t{count} + 1);
    space_.for_each(count, MarkNotInPairs{view_, positions_, records, kept});
    const std::uint32_t left = work_.sum_up(kept, count);
    std::uint64_t* const moved = take<std::uint64_t>(count);
    space_.for_each(count, KeepSome<std::uint64_t>{kept, records, moved});
    space_.for_each(view_.reads.count, PlaceKept{kept, results});
    records = moved;
    return left;
  }

  /// `sums`: one for each read.
  void start_qualities(align::QualitySum* sums) {
    space_.for_each(count_, StartPairQualities{view_, results_, choices_, sums});
    space_.for_each(loci_, WeighPairs{view_, search_, results_, choices_});
  }
  void put_qualities(const align::QualitySum* sums) {
    space_.for_each(count_, PutPairQualities{results_, choices_, sums, search_, pairs_, view_.inserts, view_.model,
                                             made_.alignments});
  }

  /// Puts the pairs and their records into `out`, which has no records yet.
  void download(align::AlignmentBatch& out) {
    maker_.download(made_, out);
    out.concordant_pairs.resize(reported_);
    space_.download(out.concordant_pairs.data(), pairs_, reported_);
    space_.download(out.pairs.data(), results_, count_);
  }

 private:
  // More do not fit in any arena.
  static constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 30;

  // `count`: the pairs that the rule reports, and those that max_hits leaves out.
  void put_pairs(std::uint64_t count, const std::uint32_t* first_entry, const std::uint32_t* first_pair,
                 std::uint64_t* reported, std::uint32_t* used) {
    const std::size_t mark = work_.arena.mark();
    std::uint64_t* const entries = take<std::uint64_t>(count);
    std::uint64_t* const keys = take<std::uint64_t>(count);
    std::uint32_t* const order = take<std::uint32_t>(count);
    space_.for_each(loci_, ListPairs{view_, search_, choices_, first_entry, entries, keys, order});
    const unsigned bits = ListPairs::kSumBits + static_cast<unsigned>(std::bit_width(count_));
    const auto [sorted_keys, sorted_order] = space_.sort_pairs(keys, order, count, bits, work_.arena);
    space_.for_each(count,
                    PutPairs{entries, sorted_keys, sorted_order, view_, first_entry, first_pair, reported, used});
    work_.arena.release(mark);
  }

  template <class T>
  T* take(std::uint64_t count) {
    return work_.arena.template take<T>(count);
  }

  DeviceWork<Space>& work_;
  Space& space_;
  DeviceRecordMaker<Space>& maker_;
  PairsView view_;
  std::uint64_t loci_;
  std::uint64_t count_;  // pairs
  PairSearch* search_ = nullptr;
  align::PairResult* results_ = nullptr;
  align::PairChoice* choices_ = nullptr;
  align::AlignmentPair* pairs_ = nullptr;
  const std::uint32_t* positions_ = nullptr;  // [aligned locus]: index of its record, if it is in a reported pair
  std::uint32_t reported_ = 0;                // pairs
  DeviceRecords made_;
};

}  // namespace trawl::gpu
