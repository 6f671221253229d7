// Finds the concordant pairs of a batch on the device, once its loci are known: which loci may be in pairs, their
// alignments, the pairs, their records.
//
//   PairMapper<Space> pairs(reference, space, arena, maker, view, number of loci);
//   pairs.choose<Word>(chosen);           // decides also which mates are reported alone
//   pairs.start_qualities(sums);   ... weigh all loci ...   pairs.put_qualities(sums);
//   pairs.download(first pair, batch);
#pragma once

#include <bit>
#include <cstdint>

#include "align/alignment.hpp"
#include "align/pair_mapq.hpp"
#include "align/pairing.hpp"
#include "gpu/device/arena.hpp"
#include "gpu/map/choose_pairs.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/pair_quality.hpp"
#include "gpu/map/pair_records.hpp"
#include "gpu/map/pairs.hpp"
#include "gpu/map/record_maker.hpp"
#include "gpu/map/select.hpp"

namespace trawl::gpu {

template <class Space>
class PairMapper {
 public:
  /// All memory is taken from `arena`. `view`: the loci, their spreads and the rules; `loci`: their number.
  PairMapper(DeviceReference<Space>& reference, Space& space, Arena& arena, RecordMaker<Space>& maker,
             const PairsView& view, std::uint64_t loci)
      : reference_(reference),
        space_(space),
        arena_(arena),
        maker_(maker),
        view_(view),
        loci_(loci),
        count_(view.reads.count / 2) {}

  /// Finds and writes the pairs. `reads`: what was chosen for each read as if it had no mate; of mates that are not
  /// reported alone, the records are taken out.
  template <class Word>
  void choose(const ChosenReads& reads) {
    search_ = {arena_.take<std::uint32_t>(count_), arena_.take<align::PairKey>(count_),
               arena_.take<align::PairSums>(count_)};
    space_.for_each(count_, StartPairs{search_});
    std::uint32_t* const places = arena_.take<std::uint32_t>(loci_ + 1);
    space_.zero(places, loci_ + 1);
    space_.for_each(loci_, FindSmallestSums{view_, search_});
    space_.for_each(loci_, MarkPairLoci{view_, search_, places});
    space_.exclusive_sum(places, loci_ + 1, arena_);
    view_.places = places;
    const std::uint32_t aligned = space_.fetch(places + loci_);
    std::uint64_t* const records = arena_.take<std::uint64_t>(aligned);
    space_.for_each(loci_, ListMarkedLoci{view_.loci, places, records});
    const PathsView paths = maker_.template trace<Word>(view_.reads, records, aligned);
    auto* const measured = arena_.take<AlignedLocus>(aligned);
    space_.for_each(aligned, MeasureAligned{view_.reference, view_.reads, records, view_.format, paths,
                                            reference_.model(), measured});
    view_.aligned = measured;

    results_ = arena_.take<align::PairResult>(count_);
    choices_ = arena_.take<align::PairChoice>(count_);
    std::uint32_t* const first_tie = arena_.take<std::uint32_t>(loci_ + 1);
    std::uint32_t* const first_entry = arena_.take<std::uint32_t>(loci_ + 1);
    std::uint32_t* const first_pair = arena_.take<std::uint32_t>(count_ + 1);
    std::uint64_t* const all_entries = arena_.take<std::uint64_t>(1);
    space_.zero(first_tie + loci_, 1);
    space_.zero(first_entry + loci_, 1);
    space_.zero(first_pair + count_, 1);
    space_.zero(all_entries, 1);
    space_.for_each(loci_, FindBestPairs{view_, search_});
    space_.for_each(loci_, CountPairs{view_, search_, first_tie, first_entry, all_entries});
    const std::uint64_t entries = space_.fetch(all_entries);
    if (entries > kMostEntries) {
      throw OutOfRoom();
    }
    space_.exclusive_sum(first_tie, loci_ + 1, arena_);
    space_.exclusive_sum(first_entry, loci_ + 1, arena_);
    space_.for_each(count_, ChoosePairs{view_, search_, first_tie, first_entry, results_, choices_, first_pair, reads});
    space_.exclusive_sum(first_pair, count_ + 1, arena_);
    space_.for_each(count_, PlacePairs{first_pair, results_});
    std::uint32_t* const used = arena_.take<std::uint32_t>(std::uint64_t{aligned} + 1);
    reported_ = space_.fetch(first_pair + count_);
    std::uint64_t* const reported = arena_.take<std::uint64_t>(reported_);
    pairs_ = arena_.take<align::AlignmentPair>(reported_);
    space_.zero(used, std::uint64_t{aligned} + 1);
    if (view_.rule.report == align::Report::best) {
      space_.for_each(count_, PutPrimaryPairs{view_, results_, choices_, reported, used});
    } else {
      put_pairs(entries, first_entry, first_pair, reported, used);
    }
    space_.exclusive_sum(used, std::uint64_t{aligned} + 1, arena_);
    space_.for_each(reported_, FinishPairs{reported, used, pairs_});
    positions_ = used;
    const std::uint32_t kept = space_.fetch(used + aligned);
    std::uint64_t* const kept_records = arena_.take<std::uint64_t>(kept);
    RecordPath* const kept_paths = arena_.take<RecordPath>(kept);
    space_.for_each(aligned, KeepUsed{used, records, paths.paths, kept_records, kept_paths});
    PathsView kept_view = paths;
    kept_view.paths = kept_paths;
    made_ = maker_.write(view_.reads, kept_records, kept, kept_view);
  }

  /// Takes out of the records of mates alone those whose loci are in reported pairs. Returns how many are left.
  std::uint32_t keep_not_in_pairs(std::uint64_t*& records, std::uint32_t count, align::ReadResult* results) {
    std::uint32_t* const kept = arena_.take<std::uint32_t>(std::uint64_t{count} + 1);
    space_.zero(kept + count, 1);
    space_.for_each(count, MarkNotInPairs{view_, positions_, records, kept});
    space_.exclusive_sum(kept, std::uint64_t{count} + 1, arena_);
    std::uint64_t* const moved = arena_.take<std::uint64_t>(count);
    space_.for_each(count, MoveKept{kept, records, moved});
    space_.for_each(view_.reads.count, PlaceKept{kept, results});
    records = moved;
    return space_.fetch(kept + count);
  }

  /// `sums`: one for each read.
  void start_qualities(align::QualitySum* sums) {
    space_.for_each(count_, StartPairQualities{view_, results_, choices_, reference_.model(), sums});
    space_.for_each(loci_, WeighPairs{view_, search_, results_, choices_, reference_.model()});
  }
  void put_qualities(const align::QualitySum* sums) {
    space_.for_each(count_, PutPairQualities{results_, choices_, sums, search_.sums, pairs_, view_.inserts,
                                             reference_.model(), made_.alignments});
  }

  /// Appends the pairs to `out`. The first pair here is number `first` of the batch.
  void download(std::size_t first, align::AlignmentBatch& out) {
    const auto first_alignment = static_cast<std::uint32_t>(maker_.download(made_, out));
    const std::size_t first_reported = out.concordant_pairs.size();
    out.concordant_pairs.resize(first_reported + reported_);
    space_.download(out.concordant_pairs.data() + first_reported, pairs_, reported_);
    space_.download(out.pairs.data() + first, results_, count_);
    if (first_alignment > 0) {
      for (std::size_t i = first_reported; i < out.concordant_pairs.size(); ++i) {
        out.concordant_pairs[i].mates[0] += first_alignment;
        out.concordant_pairs[i].mates[1] += first_alignment;
      }
    }
    for (std::size_t p = first; first_reported > 0 && p < first + count_; ++p) {
      out.pairs[p].first += out.pairs[p].count > 0 ? first_reported : 0;
    }
  }

 private:
  // More do not fit in any arena.
  static constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 30;

  // `count`: the pairs that the rule reports, and those that max_hits leaves out.
  void put_pairs(std::uint64_t count, const std::uint32_t* first_entry, const std::uint32_t* first_pair,
                 std::uint64_t* reported, std::uint32_t* used) {
    const std::size_t mark = arena_.mark();
    std::uint64_t* const entries = arena_.take<std::uint64_t>(count);
    std::uint64_t* const keys = arena_.take<std::uint64_t>(count);
    std::uint32_t* const order = arena_.take<std::uint32_t>(count);
    space_.for_each(loci_, ListPairs{view_, search_, choices_, first_entry, entries, keys, order});
    const unsigned bits = ListPairs::kSumBits + static_cast<unsigned>(std::bit_width(count_));
    const auto [sorted_keys, sorted_order] = space_.sort_pairs(keys, order, count, bits, arena_);
    space_.for_each(count,
                    PutPairs{entries, sorted_keys, sorted_order, view_, first_entry, first_pair, reported, used});
    arena_.release(mark);
  }

  DeviceReference<Space>& reference_;
  Space& space_;
  Arena& arena_;
  RecordMaker<Space>& maker_;
  PairsView view_;
  std::uint64_t loci_;
  std::uint64_t count_;  // pairs
  PairSearch search_;
  align::PairResult* results_ = nullptr;
  align::PairChoice* choices_ = nullptr;
  align::AlignmentPair* pairs_ = nullptr;
  const std::uint32_t* positions_ = nullptr;  // [aligned locus]: index of its record, if it is in a reported pair
  std::uint32_t reported_ = 0;                // pairs
  DeviceRecords made_;
};

}  // namespace trawl::gpu
