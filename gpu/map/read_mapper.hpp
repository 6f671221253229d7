// From reads on the device to their records: loci, placements, selection, alignment, mapping quality.
//
//   ReadMapper<Space> mapper(work, finder, upload);
//   mapper.set_rule(rule, depth, inserts);
//   mapper.map(upload.reads(batch, 0, batch.size(), depth, false), alignments);
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "align/alignment.hpp"
#include "base/stopwatch.hpp"
#include "gpu/map/chosen_reads.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/end_run_finder.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/pair_mapper.hpp"
#include "gpu/map/placements.hpp"
#include "gpu/map/record_maker.hpp"
#include "gpu/map/upload.hpp"

namespace trawl::gpu {

template <class Space>
class ReadMapper {
 public:
  /// All must outlive it.
  ReadMapper(DeviceWork<Space>& work, EndRunFinder<Space>& finder, Upload<Space>& upload)
      : work_(work), space_(work.space), arena_(work.arena), finder_(finder), upload_(upload) {}

  void set_rule(const align::ReportRule& rule, const map::SearchDepth& depth, const align::InsertModel& inserts) {
    rule_ = rule;
    depth_ = depth;
    inserts_ = inserts;
  }

  /// `out` has empty results for the reads, and for pairs if the reads are mates.
  void map(const ReadsView& reads, align::AlignmentBatch& out) {
    if (reads.longest == 0) {
      for (align::ReadResult& read : out.reads) {
        read.unmapped = align::Unmapped::too_short;
      }
    } else if (reads.most_allowed <= 15) {
      map_with<std::uint32_t>(reads, out);
    } else {
      map_with<std::uint64_t>(reads, out);
    }
  }

 private:
  template <class Word>
  void map_with(const ReadsView& reads, align::AlignmentBatch& out) {
    BatchView view{work_.reference.view(), reads, work_.format, {}, rule_, work_.reference.model()};
    const bool paired = !out.pairs.empty();
    std::uint32_t* const first_locus = arena_.template take<std::uint32_t>(reads.count + 1);
    const RunsView runs = find_loci<Word>(paired, first_locus, view);
    Stopwatch watch;
    const std::size_t mark = arena_.mark();
    const bool placed = work_.options.gaps() && view.loci.count > 0 && place<Word>(runs, paired, first_locus, view);
    if (!placed) {
      arena_.release(mark);
    }
    // Without ambiguous letters that match, a path may have any end of its locus, and those of a placement its own.
    DeviceRecordMaker<Space> maker(work_, view, {ambiguous_matches() || placed, !ambiguous_matches()});
    report<Word>(view, maker, out, watch);
  }

  // Makes the loci of the view. Searches the reads first for few edits, and those that need more again. An end that is
  // found twice counts once. `first`: where the loci of the reads begin.
  template <class Word>
  RunsView find_loci(bool paired, std::uint32_t* first, BatchView& view) {
    const map::MapOptions& options = work_.options;
    const EndLimit limit{options.max_ambiguous, ambiguous_matches() && view.reference.run_count > 0,
                         options.max_ambiguous.with_edits(0).of(view.reads.longest) + view.reads.most_allowed};
    ReadsView searched = view.reads;
    EndRuns known;
    while (true) {
      const EndRuns end_runs = finder_.together({known, finder_.find(searched, limit)});
      Stopwatch watch;
      const std::uint64_t count = end_runs.count;
      std::uint64_t* const loci = arena_.template take<std::uint64_t>(count);
      std::uint32_t* const spreads = arena_.template take<std::uint32_t>(count);
      std::uint32_t* const befores = arena_.template take<std::uint32_t>(count);
      std::uint32_t* const afters = arena_.template take<std::uint32_t>(count);
      const std::size_t mark = arena_.mark();
      view.loci = {loci, spreads, first, 0};
      if (count > 0) {
        const SortedEndRuns sorted = finder_.sort(view.reads, end_runs, true);
        const LocusJoiner join{sorted, view.reference, view.format.position_bits};
        space_.for_each(count, BuildLoci{join, view.format, loci, spreads, befores, afters});
        view.loci.count = space_.fetch(sorted.places + count);
        known = sorted;
      }
      space_.for_each(view.reads.count + 1, FindLociOfReads{view.loci, view.format, first});
      const bool again = view.reads.may_need_more && need_more<Word>(view, paired, searched);
      watch.lap(work_.seconds.verify);
      if (!again) {
        arena_.release(mark);
        return {{view}, befores, afters};
      }
    }
  }

  // Whether reads must be searched for more edits. `searched` becomes these reads.
  template <class Word>
  bool need_more(const BatchView& view, bool paired, ReadsView& searched) {
    const std::uint32_t reads = view.reads.count;
    std::uint32_t* const marked = arena_.template take<std::uint32_t>(std::uint64_t{reads} + 1);
    space_.zero(marked, reads);
    if (work_.options.gaps()) {
      space_.for_each(view.loci.count, MarkUnproven<Word>{view, marked});
    }
    const PairSearch* const pairs = paired ? PairMapper<Space>::start(work_, pairs_view(view)) : nullptr;
    space_.for_each(paired ? reads / 2 : reads, FindNeeded{view, depth_, pairs, marked});
    const std::uint32_t count = work_.sum_up(marked, reads);
    searched = count > 0 ? upload_.some(view.reads, marked, count) : searched;
    return count > 0;
  }

  PairsView pairs_view(const BatchView& view) const {
    return {{view}, nullptr, nullptr, work_.options.pairs, inserts_};
  }

  // Finds the placements of loci. If a locus has several, returns true, and the view's loci become a list of
  // placements; with more records than the best one, the reads are left to the CPU.
  template <class Word>
  bool place(const RunsView& runs, bool paired, std::uint32_t* first, BatchView& view) {
    const std::uint64_t n = runs.loci.count;
    std::uint32_t* best = nullptr;
    if (!paired && !rule_.placements) {
      best = arena_.template take<std::uint32_t>(runs.reads.count);
      space_.for_each(runs.reads.count, FindBestDistances{runs, best});
    }
    std::uint32_t* const places = arena_.template take<std::uint32_t>(n + 1);
    std::uint32_t* const first_mark = arena_.template take<std::uint32_t>(n + 1);
    std::uint64_t* const all_ends = arena_.template take<std::uint64_t>(1);
    space_.zero(all_ends, 1);
    std::uint32_t* const counts = arena_.template take<std::uint32_t>(n + 1);
    space_.for_each(n, MarkPlaced{runs, best, places, first_mark, counts, all_ends});
    const std::uint64_t ends = space_.fetch(all_ends);
    if (ends == 0) {
      return false;
    }
    if (ends > kMostEnds) {
      throw OutOfRoom();
    }
    work_.to_places(first_mark, n);
    const std::uint32_t placed_count = work_.sum_up(places, n);
    std::uint32_t* const marked = arena_.template take<std::uint32_t>(runs.reads.count);
    space_.zero(marked, runs.reads.count);
    std::uint32_t* const placed = arena_.template take<std::uint32_t>(placed_count);
    std::uint8_t* const marks = arena_.template take<std::uint8_t>(ends);
    space_.for_each(n, KeepSome<std::uint32_t>{places, nullptr, placed});
    space_.for_each(placed_count, CountPlacements<Word>{runs, placed, first_mark, marks, counts, marked});
    if (rule_.report != align::Report::best) {
      leave_marked(marked, runs.reads.count, paired);
      return false;
    }
    const std::uint32_t count = work_.sum_up(counts, n);
    if (count == n) {
      return false;
    }
    std::uint64_t* const loci = arena_.template take<std::uint64_t>(count);
    std::uint32_t* const spreads = arena_.template take<std::uint32_t>(count);
    space_.for_each(n, PutPlacements{runs, first_mark, marks, counts, loci, spreads});
    view.loci = {loci, spreads, first, count};
    space_.for_each(runs.reads.count + 1, FindLociOfReads{view.loci, view.format, first});
    return true;
  }

  void leave_marked(const std::uint32_t* marked, std::uint32_t reads, bool paired) {
    std::vector<std::uint32_t> with_placements(reads);
    space_.download(with_placements.data(), marked, reads);
    for (std::size_t r = 0; r < reads; ++r) {
      if (with_placements[r] != 0) {
        upload_.leave(r);
        upload_.leave(paired ? r ^ 1 : r);
      }
    }
  }

  ChosenReads choose_reads(const BatchView& view, bool paired) {
    const std::uint64_t n = view.reads.count;
    const ChosenReads chosen{arena_.template take<align::ReadResult>(n), arena_.template take<std::uint64_t>(n),
                             arena_.template take<std::uint32_t>(n), arena_.template take<std::uint32_t>(n + 1),
                             arena_.template take<WeighedLocus>(n)};
    space_.for_each(n, SelectPrimaries{view, paired, chosen});
    return chosen;
  }

  // The records of reads, and of mates that are reported alone.
  std::uint64_t* list_records(const BatchView& view, const ChosenReads& chosen, const std::uint64_t* primaries,
                              std::uint32_t& count) {
    const std::uint64_t n = view.reads.count;
    count = work_.sum_up(chosen.record_counts, n);
    std::uint64_t* const records = arena_.template take<std::uint64_t>(count);
    space_.for_each(n, PutPrimaries{chosen.record_counts, chosen.results, primaries, records});
    if (rule_.report != align::Report::best) {
      // Sorting moves loci, but not their spreads.
      std::uint64_t* const loci = arena_.template take<std::uint64_t>(view.loci.count);
      space_.copy(loci, view.loci.loci, view.loci.count);
      const unsigned bits =
          view.format.position_bits + 1 + LocusFormat::kDistanceBits + static_cast<unsigned>(std::bit_width(n));
      const std::uint64_t* const sorted = space_.sort(loci, view.loci.count, bits, arena_);
      space_.for_each(view.loci.count, PutSecondaries{view, sorted, chosen.results, primaries, records});
    }
    return records;
  }

  template <class Word>
  void report(const BatchView& view, DeviceRecordMaker<Space>& maker, align::AlignmentBatch& out, Stopwatch& watch) {
    const ChosenReads chosen = choose_reads(view, !out.pairs.empty());
    std::optional<PairMapper<Space>> pairs;
    std::uint64_t* alone = chosen.primaries;
    if (!out.pairs.empty()) {
      pairs.emplace(work_, maker, pairs_view(view));
      // For the mates alone, the primary loci are those of single reads.
      alone = arena_.template take<std::uint64_t>(view.reads.count);
      space_.copy(alone, chosen.primaries, view.reads.count);
      pairs->template choose<Word>(chosen);
    }
    auto* const sums = arena_.template take<align::QualitySum>(view.reads.count);
    if (pairs) {
      pairs->start_qualities(sums);
    }
    std::uint32_t count = 0;
    std::uint64_t* records = list_records(view, chosen, alone, count);
    if (pairs && work_.options.pairs.discordant == align::Discordant::always && rule_.report != align::Report::best) {
      count = pairs->keep_not_in_pairs(records, count, chosen.results);
    }
    const DeviceRecords made = make_records<Word>(view, records, count, chosen, maker, sums);
    if (pairs) {
      pairs->put_qualities(sums);
    }
    space_.synchronize();
    watch.lap(work_.seconds.align);
    if (pairs) {
      pairs->download(out);
    }
    const std::size_t first_alone = maker.download(made, out);
    space_.download(out.reads.data(), chosen.results, out.reads.size());
    for (align::ReadResult& read : out.reads) {
      read.first += first_alone;
    }
    watch.lap(work_.seconds.copy);
  }

  // Makes these records with their mapping qualities. Also completes the sums of mates in pairs, which have start
  // values.
  template <class Word>
  DeviceRecords make_records(const BatchView& view, const std::uint64_t* records, std::uint32_t count,
                             const ChosenReads& chosen, DeviceRecordMaker<Space>& maker, align::QualitySum* sums) {
    const PathsView paths = maker.template trace<Word>(records, count);
    const DeviceRecords made = maker.write(records, count, paths);
    space_.for_each(view.reads.count, StartQualities{view, chosen, paths, sums});
    space_.for_each(view.loci.count, WeighLoci{view, chosen, sums});
    space_.for_each(view.reads.count, PutQualities{chosen, sums, view.model, made.alignments});
    return made;
  }

  bool ambiguous_matches() const { return work_.options.ambiguous == map::Ambiguous::match; }

  // Ends of runs that may have several placements; more do not fit in any arena.
  static constexpr std::uint64_t kMostEnds = std::uint64_t{1} << 30;

  DeviceWork<Space>& work_;
  Space& space_;
  Arena& arena_;
  EndRunFinder<Space>& finder_;
  Upload<Space>& upload_;
  align::ReportRule rule_;
  map::SearchDepth depth_;
  align::InsertModel inserts_;
};

}  // namespace trawl::gpu
