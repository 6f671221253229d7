// Takes a batch of reads through all steps of gpu/map/ in a space (device_space.cuh, or host_space.hpp for tests):
// seeds, candidates, verification, loci, selection, alignment. Only the records are copied back.
//
//   BatchMapper<Space> mapper(reference, options, space, arena);
//   mapper.map(batch, false, inserts, alignments, left);    // `left`: the reads that the device leaves for the CPU
//   mapper.find_ranges(queries, false, ranges, left);       // for engine::RangeFinder: only as far as the loci
//
// The reads that are mapped together must fit in the arena. If they do not fit, half of them are tried. A single read
// or pair that does not fit is left for the CPU. So no read is lost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "align/record_order.hpp"
#include "base/stopwatch.hpp"
#include "engine/engine.hpp"
#include "gpu/device/arena.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/end_run_finder.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/pair_mapper.hpp"
#include "gpu/map/placements.hpp"
#include "gpu/map/range_filter.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/record_maker.hpp"
#include "gpu/map/select.hpp"
#include "map/options.hpp"
#include "map/short_reads.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::gpu {

template <class Space>
class BatchMapper {
 public:
  BatchMapper(DeviceReference<Space>& reference, const map::Options& options, Space& space, const Arena& arena)
      : reference_(reference),
        options_(options),
        short_reads_(options_, reference.bases()),
        space_(space),
        arena_(arena),
        finder_(reference, options, space) {
    format_.position_bits = reference.position_bits();
    const unsigned read_bits = std::min(20u, 63 - LocusFormat::kDistanceBits - format_.position_bits);
    most_reads_ = std::size_t{1} << (read_bits - 1);
    reads_at_once_ = most_reads_;
    queries_at_once_ = most_reads_;
  }

  /// Replaces the contents of `out`. The results of the reads listed in `left` are not filled in. `single`: reports the
  /// best locus of every read, and takes mates for single reads.
  void map(const sequence::ReadBatch& batch, bool single, const align::InsertModel& inserts, align::AlignmentBatch& out,
           std::vector<std::uint32_t>& left) {
    rule_ = single ? align::ReportRule{} : options_.report_rule();
    inserts_ = inserts;
    out.clear();
    out.reads.resize(batch.size());
    left.clear();
    const bool paired = batch.paired && !single;
    out.pairs.resize(paired ? batch.size() / 2 : 0);
    const std::size_t unit = paired ? 2 : 1;  // mates stay together
    in_pieces(batch.size(), unit, reads_at_once_, left,
              [&](std::size_t first, std::size_t count) { map_some(batch, first, count, out, left); });
    align::sort_records(out);
  }

  /// Replaces the contents of `out`. The queries listed in `left` have no ranges in it. Of the options only those that
  /// say how to search count. `only_count`: as engine::RangeFinder::count().
  void find_ranges(std::span<const engine::RangeQuery> queries, bool only_count, engine::EndRanges& out,
                   std::vector<std::uint32_t>& left) {
    out.ranges.clear();
    out.first.assign(2 * queries.size() + 1, 0);
    left.clear();
    in_pieces(queries.size(), 1, queries_at_once_, left,
              [&](std::size_t first, std::size_t count) { find_some(queries, first, count, only_count, out, left); });
    std::inclusive_scan(out.first.begin(), out.first.end(), out.first.begin());
  }

  /// The seconds spent since the last call.
  engine::StageSeconds take_seconds() { return std::exchange(seconds_, {}); }

 private:
  struct Loci {
    std::uint64_t* loci;
    std::uint32_t* spreads;  // see BuildLoci and Spread
    std::uint64_t count;
    std::uint32_t* first;  // [read]: index of its first locus
    bool has_placements = false;
  };

  // Calls work(first, count) for pieces of `size` reads. A piece that does not fit is halved; of `unit` reads that do
  // not fit, all are left.
  template <class Work>
  void in_pieces(std::size_t size, std::size_t unit, std::size_t& at_once, std::vector<std::uint32_t>& left,
                 const Work& work) {
    for (std::size_t first = 0; first < size;) {
      const std::size_t wanted = std::min({size - first, at_once, most_reads_});
      const std::size_t count = std::max(unit, wanted - wanted % unit);
      try {
        arena_.clear();
        work(first, count);
        first += count;
        at_once = std::min(2 * at_once, most_reads_);  // the next reads may need less room
      } catch (const OutOfRoom&) {
        if (count > unit) {
          at_once = count / 2;
          continue;
        }
        for (std::size_t r = 0; r < unit; ++r) {
          left.push_back(static_cast<std::uint32_t>(first++));
        }
      }
    }
  }

  void map_some(const sequence::ReadBatch& batch, std::size_t first, std::size_t count, align::AlignmentBatch& out,
                std::vector<std::uint32_t>& left) {
    Stopwatch watch;
    const ReadsView reads = upload(batch, first, count, !out.pairs.empty());
    watch.lap(seconds_.copy);
    if (reads.longest == 0) {
      for (std::size_t r = 0; r < count; ++r) {
        out.reads[first + r].unmapped = align::Unmapped::too_short;
      }
    } else if (reads.most_edits <= 15) {
      run<std::uint32_t>(reads, first, out);
    } else {
      run<std::uint64_t>(reads, first, out);
    }
    list_left(first, left);
  }

  // The same for queries of find_ranges(). out.first[s + 1] becomes the number of ranges of strand s.
  void find_some(std::span<const engine::RangeQuery> queries, std::size_t first, std::size_t count, bool only_count,
                 engine::EndRanges& out, std::vector<std::uint32_t>& left) {
    Stopwatch watch;
    put_queries(queries.subspan(first, count));
    const ReadsView all = upload();
    ReadsView reads = all;
    reads.limit_to(entries_.data(), count);
    LimitedRanges limited;
    limited.position_bits = format_.position_bits;
    limited.queries = reads;
    limited.reads = all;
    if (entries_.size() > count && reads.longest > 0) {
      RangeLimit* const limits = arena_.take<RangeLimit>(count);
      space_.upload(limits, limits_.data(), count);
      limited.limits = limits;
    }
    watch.lap(seconds_.copy);
    if (reads.longest > 0) {
      EndLimit limit;
      limit.deepest = all.longest + reads.most_edits;
      const EndRuns end_runs = reads.most_edits <= 15
                                   ? finder_.template find<std::uint32_t>(reads, limit, arena_, seconds_)
                                   : finder_.template find<std::uint64_t>(reads, limit, arena_, seconds_);
      if (only_count) {
        download_counts(end_runs, reads, 2 * first, out);
      } else {
        download_ranges(end_runs, limited, 2 * first, out);
      }
    }
    entries_.resize(count);
    list_left(first, left);
  }

  // The queries become the first reads. After them come the whole reads that they belong to, if their ranges are to be
  // filtered.
  void put_queries(std::span<const engine::RangeQuery> queries) {
    text_.clear();
    entries_.assign(queries.size(), {});
    limits_.assign(queries.size(), {});
    std::string_view read;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const engine::RangeQuery& query = queries[q];
      const bool has_limit = query.most_penalty < query.read.size();
      if (query.read.empty() || query.read.size() > kMaxDeviceRead || !has_limit) {
        put_bases(entries_[q], put_text(query.bases), query.bases.size(), query.max_edits);
        continue;
      }
      // Queries of one read follow each other.
      if (query.read.data() != read.data() || query.read.size() != read.size()) {
        read = query.read;
        ReadEntry entry;
        put_bases(entry, put_text(read), read.size(), 0);
        entries_.push_back(entry);
      }
      const auto begin = static_cast<std::uint32_t>(query.bases.data() - read.data());
      put_bases(entries_[q], entries_.back().bases + begin, query.bases.size(), query.max_edits);
      limits_[q] = {static_cast<std::uint32_t>(entries_.size() - 1), begin, query.most_penalty};
    }
  }

  // As download_ranges(), but only how many there are.
  void download_counts(const EndRuns& end_runs, const ReadsView& queries, std::size_t first_strand,
                       engine::EndRanges& out) {
    if (end_runs.count == 0) {
      return;
    }
    Stopwatch watch;
    const std::uint64_t strands = 2 * std::uint64_t{queries.count};
    const SortedEndRuns sorted = sort(queries, end_runs);
    std::uint32_t* const before = arena_.take<std::uint32_t>(strands + 1);
    space_.for_each(strands + 1, CountLociBefore{sorted, format_.position_bits, before});
    counts_.resize(strands + 1);
    space_.download(counts_.data(), before, strands + 1);
    for (std::uint64_t s = 0; s < strands; ++s) {
      out.first[first_strand + s + 1] = counts_[s + 1] - counts_[s];
    }
    watch.lap(seconds_.verify);
  }

  // The first strand of the queries is strand `first_strand` in `out`.
  void download_ranges(const EndRuns& end_runs, LimitedRanges& limited, std::size_t first_strand,
                       engine::EndRanges& out) {
    if (end_runs.count == 0) {
      return;
    }
    Stopwatch watch;
    const SortedEndRuns sorted = sort(limited.queries, end_runs);
    auto* ranges = arena_.take<align::EndRange>(sorted.count);
    space_.for_each(sorted.count, BuildRanges{sorted, ranges});
    const std::uint32_t* range_count = sorted.places + sorted.count;
    if (limited.limits != nullptr) {
      limited.ranges = ranges;
      limited.count = range_count;
      ranges = arena_.take<align::EndRange>(sorted.count);
      range_count = keep_wanted(sorted.count, limited, ranges);
    }
    const std::uint32_t count = space_.fetch(range_count);
    watch.lap(seconds_.verify);
    const std::size_t before = out.ranges.size();
    out.ranges.resize(before + count);
    space_.download(out.ranges.data() + before, ranges, count);
    const std::uint64_t position_mask = (std::uint64_t{1} << format_.position_bits) - 1;
    for (std::size_t i = before; i < out.ranges.size(); ++i) {
      engine::EndRange& range = out.ranges[i];
      ++out.first[first_strand + (range.first >> format_.position_bits) + 1];
      range = {range.first & position_mask, range.last & position_mask};
    }
    watch.lap(seconds_.copy);
  }

  // Copies the ranges that are wanted to `kept`; there are at most `most` ranges. Returns where their number is.
  const std::uint32_t* keep_wanted(std::uint64_t most, LimitedRanges& limited, align::EndRange* kept) {
    limited.scores = arena_.take<std::uint32_t>(most);
    std::uint32_t* const places = arena_.take<std::uint32_t>(most + 1);
    space_.for_each_warp(most, ScoreRanges{reference_.view(), limited});
    space_.for_each(most + 1, MarkWanted{limited, places});
    space_.exclusive_sum(places, most + 1, arena_);
    space_.for_each(most, KeepWanted{limited, places, kept});
    return places + most;
  }

  // Lists the reads from read `first` on that the device does not map.
  void list_left(std::size_t first, std::vector<std::uint32_t>& left) const {
    for (std::size_t r = 0; r < entries_.size(); ++r) {
      if (entries_[r].is_left()) {
        left.push_back(static_cast<std::uint32_t>(first + r));
      }
    }
  }

  std::uint64_t put_text(std::string_view piece) {
    const std::uint64_t at = text_.size();
    text_ += piece;
    return at;
  }

  // `bases`: where they are in the text.
  static void put_bases(ReadEntry& entry, std::uint64_t bases, std::size_t length, std::uint32_t max_edits) {
    entry.bases = bases;
    if (length <= max_edits) {
      entry.too_short = true;
    } else if (length <= kMaxDeviceRead && max_edits <= kMaxDeviceEdits) {
      entry.length = static_cast<std::uint32_t>(length);
      entry.max_edits = static_cast<std::uint16_t>(max_edits);
    }
  }

  // The CPU maps this read.
  void leave(std::size_t r) {
    entries_[r].length = 0;
    entries_[r].too_short = false;
  }

  // The CPU maps both mates of a pair, or none.
  ReadsView upload(const sequence::ReadBatch& batch, std::size_t first, std::size_t count, bool paired) {
    text_.clear();
    entries_.assign(count, {});
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = first + r;
      const auto name = batch.name(i);
      const auto bases = batch.bases(i);
      const auto qualities = batch.qualities(i);
      ReadEntry& entry = entries_[r];
      entry.name = put_text(name);
      entry.name_length = static_cast<std::uint32_t>(name.size());
      if (short_reads_.is_too_short(bases)) {
        entry.too_short = true;
      } else {
        put_bases(entry, put_text(bases), bases.size(), options_.allowed_edits(bases.size()));
      }
      entry.has_qualities = !qualities.empty();
      entry.qualities = put_text(qualities);
    }
    for (std::size_t r = 0; paired && r < count; r += 2) {
      if (entries_[r].is_left() || entries_[r + 1].is_left()) {
        leave(r);
        leave(r + 1);
      }
    }
    return upload();
  }

  // First the text of the reads and the facts about each read; then both strands, encoded.
  ReadsView upload() {
    ReadsView reads;
    const std::size_t count = entries_.size();
    reads.limit_to(entries_.data(), count);
    if (reads.longest == 0) {
      return reads;
    }
    reads.stride = reads.longest / 32 + 2;
    char* const device_text = arena_.take<char>(text_.size());
    ReadEntry* const device_entries = arena_.take<ReadEntry>(count);
    Block* const strands = arena_.take<Block>(2 * count * reads.stride);
    SetBlock* const sets = ambiguous_matches() ? arena_.take<SetBlock>(2 * count * reads.stride) : nullptr;
    space_.upload(device_text, text_.data(), text_.size());
    space_.upload(device_entries, entries_.data(), count);
    reads.text = device_text;
    reads.reads = device_entries;
    reads.strands = strands;
    reads.sets = sets;
    space_.for_each(2 * count * reads.stride, EncodeStrands{reads, strands, sets});
    return reads;
  }

  template <class Word>
  void run(const ReadsView& reads, std::size_t first, align::AlignmentBatch& out) {
    const EndLimit limit{options_.max_ambiguous, ambiguous_matches() && reference_.view().run_count > 0,
                         options_.max_ambiguous.with_edits(0).of(reads.longest) + reads.most_edits};
    const EndRuns end_runs = finder_.template find<Word>(reads, limit, arena_, seconds_);
    Stopwatch watch;
    const Loci loci = build_loci<Word>(reads, end_runs, !out.pairs.empty());
    if (out.pairs.empty()) {
      report<Word>(reads, loci, first, out, watch);
    } else {
      report_pairs<Word>(reads, loci, first, out, watch);
    }
  }

  template <class Word>
  Loci build_loci(const ReadsView& reads, const EndRuns& end_runs, bool paired) {
    Loci loci{nullptr, nullptr, 0, arena_.take<std::uint32_t>(reads.count + 1)};
    loci.loci = arena_.take<std::uint64_t>(end_runs.count);
    loci.spreads = arena_.take<std::uint32_t>(end_runs.count);
    const std::size_t mark = arena_.mark();
    std::uint32_t* const befores = arena_.take<std::uint32_t>(end_runs.count);
    std::uint32_t* const afters = arena_.take<std::uint32_t>(end_runs.count);
    const std::size_t sort_mark = arena_.mark();
    if (end_runs.count > 0) {
      const SortedEndRuns sorted = sort(reads, end_runs, true);
      const LocusJoiner join{sorted, reference_.view(), format_.position_bits};
      space_.for_each(sorted.count, BuildLoci{join, format_, loci.loci, loci.spreads, befores, afters});
      loci.count = space_.fetch(sorted.places + sorted.count);
    }
    arena_.release(sort_mark);
    space_.for_each(reads.count + 1, FindLociOfReads{loci.loci, loci.count, format_, loci.first});
    const RunsView runs{loci.loci, loci.spreads, befores, afters, format_};
    if (!options_.gaps() || loci.count == 0 || !place<Word>(reads, runs, paired, loci)) {
      arena_.release(mark);
    }
    return loci;
  }

  // Finds the placements of loci. If a locus has several, returns true, and `loci` becomes a list of placements; with
  // more records than the best one, the reads are left to the CPU.
  template <class Word>
  bool place(const ReadsView& reads, const RunsView& runs, bool paired, Loci& loci) {
    const std::uint64_t n = loci.count;
    const ReferenceView view = reference_.view();
    std::uint32_t* best = nullptr;
    if (!paired && !rule_.placements) {
      best = arena_.take<std::uint32_t>(reads.count);
      space_.for_each(reads.count, FindBestDistances{loci.loci, loci.first, format_, best});
    }
    std::uint32_t* const places = arena_.take<std::uint32_t>(n + 1);
    std::uint32_t* const first_mark = arena_.take<std::uint32_t>(n + 1);
    std::uint64_t* const all_ends = arena_.take<std::uint64_t>(1);
    space_.zero(places + n, 1);
    space_.zero(first_mark + n, 1);
    space_.zero(all_ends, 1);
    space_.for_each(n, MarkPlaced{view, reads, runs, best, places, first_mark, all_ends});
    const std::uint64_t ends = space_.fetch(all_ends);
    if (ends == 0) {
      return false;
    }
    if (ends > kMostEnds) {
      throw OutOfRoom();
    }
    space_.exclusive_sum(places, n + 1, arena_);
    space_.exclusive_sum(first_mark, n + 1, arena_);
    const std::uint32_t placed_count = space_.fetch(places + n);
    std::uint32_t* const placed = arena_.take<std::uint32_t>(placed_count);
    std::uint8_t* const marks = arena_.take<std::uint8_t>(ends);
    std::uint32_t* const counts = places;  // from here on
    space_.for_each(n, ListPlaced{places, placed});
    space_.for_each(n, CountOnePlacement{counts});
    space_.zero(counts + n, 1);
    space_.for_each(placed_count, CountPlacements<Word>{view, reads, runs, placed, first_mark, marks, counts});
    if (rule_.report != align::Report::best) {
      leave_reads_of_placements(reads, runs, n, counts, paired);
      return false;
    }
    space_.exclusive_sum(counts, n + 1, arena_);
    loci.count = space_.fetch(counts + n);
    if (loci.count == n) {
      return false;
    }
    loci.has_placements = true;
    loci.loci = arena_.take<std::uint64_t>(loci.count);
    loci.spreads = arena_.take<std::uint32_t>(loci.count);
    space_.for_each(n, PutPlacements{view, runs, first_mark, marks, counts, loci.loci, loci.spreads});
    space_.for_each(reads.count + 1, FindLociOfReads{loci.loci, loci.count, format_, loci.first});
    return true;
  }

  void leave_reads_of_placements(const ReadsView& reads, const RunsView& runs, std::uint64_t loci,
                                 const std::uint32_t* counts, bool paired) {
    std::uint32_t* const marked = arena_.take<std::uint32_t>(reads.count);
    space_.zero(marked, reads.count);
    space_.for_each(loci, MarkReadsOfPlacements{runs, counts, marked});
    counts_.resize(reads.count);
    space_.download(counts_.data(), marked, reads.count);
    for (std::size_t r = 0; r < reads.count; ++r) {
      if (counts_[r] != 0) {
        leave(r);
        leave(paired ? r ^ 1 : r);
      }
    }
  }

  // There must be an end run. `only_loci`: what is a repetition of another locus is not counted in `places`.
  SortedEndRuns sort(const ReadsView& reads, const EndRuns& end_runs, bool only_loci = false) {
    const std::uint64_t count = end_runs.count;
    const unsigned bits = format_.position_bits + static_cast<unsigned>(std::bit_width(2 * reads.count));
    const auto [keys, values] = space_.sort_pairs(end_runs.keys, end_runs.values, count, bits, arena_);
    std::uint64_t* const reach = arena_.take<std::uint64_t>(count);
    std::uint32_t* const places = arena_.take<std::uint32_t>(count + 1);
    space_.for_each(count, FindReach{keys, values, reach});
    space_.inclusive_max(reach, count, arena_);
    space_.zero(places + count, 1);
    const SortedEndRuns sorted{count, keys, values, reach, places, !options_.gaps()};
    if (only_loci && reference_.view().has_circles) {
      space_.for_each(count, MarkLoci{{sorted, reference_.view(), format_.position_bits}, places});
    } else {
      space_.for_each(count, MarkHeads{sorted, places});
    }
    space_.exclusive_sum(places, count + 1, arena_);
    return sorted;
  }

  ChosenReads choose_reads(const ReadsView& reads, const Loci& loci, bool paired) {
    const std::uint64_t n = reads.count;
    const ChosenReads chosen{arena_.take<align::ReadResult>(n), arena_.take<std::uint64_t>(n),
                             arena_.take<std::uint32_t>(n), arena_.take<std::uint32_t>(n + 1),
                             arena_.take<WeighedLocus>(n)};
    space_.zero(chosen.record_counts + n, 1);
    space_.for_each(n, SelectPrimaries{reads, loci.loci, loci.first, format_, rule_, paired, chosen});
    return chosen;
  }

  // The records of reads, and of mates that are reported alone.
  std::uint64_t* list_records(const ReadsView& reads, Loci& loci, const ChosenReads& chosen, std::uint32_t& count) {
    const std::uint64_t n = reads.count;
    space_.exclusive_sum(chosen.record_counts, n + 1, arena_);
    space_.for_each(n, PlaceRecords{chosen.record_counts, chosen.results});
    count = space_.fetch(chosen.record_counts + n);
    std::uint64_t* const records = arena_.take<std::uint64_t>(count);
    space_.for_each(n, PutPrimaries{chosen.results, chosen.primaries, records});
    if (rule_.report != align::Report::best) {
      const unsigned bits =
          format_.position_bits + 1 + LocusFormat::kDistanceBits + static_cast<unsigned>(std::bit_width(reads.count));
      loci.loci = space_.sort(loci.loci, loci.count, bits, arena_);
      space_.for_each(loci.count,
                      PutSecondaries{reads, loci.loci, loci.first, format_, chosen.results, chosen.primaries, records});
    }
    return records;
  }

  bool ambiguous_matches() const { return options_.ambiguous == map::Ambiguous::match; }

  // Without ambiguous letters that match, a path may have any end of its locus, and those of a placement its own.
  RecordMaker<Space> record_maker(const Loci& loci) {
    const bool limited = ambiguous_matches() || loci.has_placements;
    return {
        reference_, options_.eqx,
        format_,    limited ? LocusSpreads{loci.loci, loci.spreads, loci.first, !ambiguous_matches()} : LocusSpreads{},
        space_,     arena_};
  }

  // Loci that list_records() may sort. Sorting moves loci, but not their spreads.
  Loci keep_order(const Loci& loci) {
    Loci sorted = loci;
    if (rule_.report != align::Report::best) {
      sorted.loci = arena_.take<std::uint64_t>(loci.count);
      space_.copy(sorted.loci, loci.loci, loci.count);
    }
    return sorted;
  }

  template <class Word>
  void report(const ReadsView& reads, Loci loci, std::size_t first, align::AlignmentBatch& out, Stopwatch& watch) {
    const ChosenReads chosen = choose_reads(reads, loci, false);
    RecordMaker<Space> maker = record_maker(loci);
    Loci sorted = keep_order(loci);
    std::uint32_t count = 0;
    std::uint64_t* const records = list_records(reads, sorted, chosen, count);
    auto* const sums = arena_.take<align::QualitySum>(reads.count);
    const DeviceRecords made = make_records<Word>(reads, loci, records, count, chosen, maker, sums);
    space_.synchronize();
    watch.lap(seconds_.align);
    download(chosen, reads.count, first, maker, made, out);
    watch.lap(seconds_.copy);
  }

  template <class Word>
  void report_pairs(const ReadsView& reads, Loci loci, std::size_t first, align::AlignmentBatch& out,
                    Stopwatch& watch) {
    ChosenReads chosen = choose_reads(reads, loci, true);
    RecordMaker<Space> maker = record_maker(loci);
    PairsView view;
    view.reference = reference_.view();
    view.reads = reads;
    view.loci = loci.loci;
    view.spreads = loci.spreads;
    view.first_locus = loci.first;
    view.format = format_;
    view.pairs = options_.pairs;
    view.inserts = inserts_;
    view.rule = rule_;
    PairMapper<Space> pairs(reference_, space_, arena_, maker, view, loci.count);
    // For the mates alone, the primary loci are those of single reads.
    std::uint64_t* const primaries = arena_.take<std::uint64_t>(reads.count);
    space_.copy(primaries, chosen.primaries, reads.count);
    pairs.template choose<Word>(chosen);
    auto* const sums = arena_.take<align::QualitySum>(reads.count);
    pairs.start_qualities(sums);

    Loci sorted = keep_order(loci);
    ChosenReads alone = chosen;
    alone.primaries = primaries;
    std::uint32_t count = 0;
    std::uint64_t* records = list_records(reads, sorted, alone, count);
    if (options_.pairs.discordant == align::Discordant::always && rule_.report != align::Report::best) {
      count = pairs.keep_not_in_pairs(records, count, chosen.results);
    }
    const DeviceRecords made = make_records<Word>(reads, loci, records, count, chosen, maker, sums);
    pairs.put_qualities(sums);
    space_.synchronize();
    watch.lap(seconds_.align);
    pairs.download(first / 2, out);
    download(chosen, reads.count, first, maker, made, out);
    watch.lap(seconds_.copy);
  }

  // Makes these records with their mapping qualities. Also completes the sums of mates in pairs, which have start
  // values.
  template <class Word>
  DeviceRecords make_records(const ReadsView& reads, const Loci& loci, const std::uint64_t* records,
                             std::uint32_t count, const ChosenReads& chosen, RecordMaker<Space>& maker,
                             align::QualitySum* sums) {
    const PathsView paths = maker.template trace<Word>(reads, records, count);
    const DeviceRecords made = maker.write(reads, records, count, paths);
    space_.for_each(reads.count,
                    StartQualities{reference_.view(), reads, chosen, format_, paths, reference_.model(), sums});
    space_.for_each(loci.count, WeighLoci{reference_.view(), reads, loci.loci, loci.spreads, format_, chosen,
                                          reference_.model(), sums});
    space_.for_each(reads.count, PutQualities{chosen, sums, reference_.model(), made.alignments});
    return made;
  }

  void download(const ChosenReads& chosen, std::uint32_t count, std::size_t first, RecordMaker<Space>& maker,
                const DeviceRecords& made, align::AlignmentBatch& out) {
    const std::size_t first_alignment = maker.download(made, out);
    space_.download(out.reads.data() + first, chosen.results, count);
    for (std::size_t r = first; first_alignment > 0 && r < first + count; ++r) {
      out.reads[r].first += first_alignment;
    }
  }

  // Ends of runs that may have several placements; more do not fit in any arena.
  static constexpr std::uint64_t kMostEnds = std::uint64_t{1} << 30;

  DeviceReference<Space>& reference_;
  map::Options options_;
  map::ShortReads short_reads_;
  align::ReportRule rule_;
  align::InsertModel inserts_;
  Space& space_;
  Arena arena_;
  EndRunFinder<Space> finder_;
  LocusFormat format_;
  std::size_t most_reads_;
  std::size_t reads_at_once_;
  std::size_t queries_at_once_;  // of find_ranges()
  std::vector<ReadEntry> entries_;
  std::string text_;  // of the reads that are mapped together: name, bases, qualities, read by read
  std::vector<RangeLimit> limits_;
  std::vector<std::uint32_t> counts_;
  engine::StageSeconds seconds_;
};

}  // namespace trawl::gpu
