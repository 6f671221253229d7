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
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "base/stopwatch.hpp"
#include "engine/engine.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/end_run_finder.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/range_filter.hpp"
#include "gpu/map/read_mapper.hpp"
#include "gpu/map/upload.hpp"
#include "map/options.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::gpu {

template <class Space>
class BatchMapper {
 public:
  BatchMapper(DeviceReference<Space>& reference, const map::MapOptions& options, Space& space, const Arena& arena)
      : options_(options),
        work_{reference, options_, space, arena, {reference.position_bits()}, {}},
        upload_(work_),
        finder_(work_),
        reads_(work_, finder_, upload_) {
    const unsigned read_bits = std::min(20u, 63 - LocusFormat::kDistanceBits - work_.format.position_bits);
    most_reads_ = std::size_t{1} << (read_bits - 1);
    reads_at_once_ = most_reads_;
    queries_at_once_ = most_reads_;
  }

  /// Replaces the contents of `out`. The results of the reads listed in `left` are not filled in. `single`: reports the
  /// best locus of every read, and takes mates for single reads.
  void map(const sequence::ReadBatch& batch, bool single, const align::InsertModel& inserts, align::AlignmentBatch& out,
           std::vector<std::uint32_t>& left) {
    align::ReportRule rule = options_.report_rule();
    rule = single ? align::ReportRule{.counts_worse = rule.counts_worse} : rule;
    const map::SearchDepth depth(work_.reference.source(), options_, rule);
    reads_.set_rule(rule, depth, inserts);
    const bool paired = batch.paired && !single;
    const auto start = [paired](std::size_t count, align::AlignmentBatch& empty) {
      empty.clear();
      empty.reads.resize(count);
      empty.pairs.resize(paired ? count / 2 : 0);
    };
    start(batch.size(), out);
    std::vector<std::uint32_t> numbers;
    // Mates stay together: their places in a batch say which is the second one.
    in_pieces(batch.size(), batch.paired ? 2 : 1, reads_at_once_, left, [&](std::size_t first, std::size_t count) {
      Stopwatch watch;
      const ReadsView reads = upload_.reads(batch, first, count, depth, paired);
      watch.lap(work_.seconds.copy);
      if (count == batch.size()) {
        reads_.map(reads, out);
        return;
      }
      start(count, piece_);
      reads_.map(reads, piece_);
      numbers.resize(count);
      std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first));
      align::put_results(piece_, numbers, out);
    });
    align::sort_records(out);
  }

  /// Replaces the contents of `out`. The queries listed in `left` have no ranges in it. Uses only the options of the
  /// search. `only_count`: as engine::RangeFinder::count().
  void find_ranges(std::span<const engine::RangeQuery> queries, bool only_count, engine::EndRanges& out,
                   std::vector<std::uint32_t>& left) {
    out.ranges.clear();
    out.first.assign(2 * queries.size() + 1, 0);
    in_pieces(queries.size(), 1, queries_at_once_, left, [&](std::size_t first, std::size_t count) {
      Stopwatch watch;
      const LimitedRanges limited = upload_.queries(queries.subspan(first, count));
      watch.lap(work_.seconds.copy);
      if (limited.queries.longest > 0) {
        find_some(limited, 2 * first, only_count, out);
      }
    });
    std::inclusive_scan(out.first.begin(), out.first.end(), out.first.begin());
  }

  /// The seconds spent since the last call.
  engine::StageSeconds take_seconds() { return std::exchange(work_.seconds, {}); }

 private:
  // Calls work(first, count) for pieces of `size` reads or queries, and lists those that are left. A piece that does
  // not fit is halved; of `unit` reads that do not fit, all are left.
  template <class Work>
  void in_pieces(std::size_t size, std::size_t unit, std::size_t& at_once, std::vector<std::uint32_t>& left,
                 const Work& work) {
    left.clear();
    for (std::size_t first = 0; first < size;) {
      const std::size_t wanted = std::min({size - first, at_once, most_reads_});
      const std::size_t count = std::max(unit, wanted - wanted % unit);
      try {
        work_.arena.clear();
        work(first, count);
        upload_.list_left(first, count, left);
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

  // The first strand of the queries is strand `first_strand` in `out`: out.first[s + 1] becomes the number of ranges of
  // strand s. `only_count`: no ranges are added to `out`.
  void find_some(LimitedRanges limited, std::size_t first_strand, bool only_count, engine::EndRanges& out) {
    const ReadsView& queries = limited.queries;
    EndLimit limit;
    limit.deepest = limited.reads.longest + queries.most_edits;
    const EndRuns end_runs = finder_.find(queries, limit);
    if (end_runs.count == 0) {
      return;
    }
    Stopwatch watch;
    const SortedEndRuns sorted = finder_.sort(queries, end_runs, false);
    if (only_count) {
      count_ranges(sorted, 2 * std::uint64_t{queries.count}, first_strand, out);
      watch.lap(work_.seconds.verify);
      return;
    }
    auto* ranges = work_.arena.template take<align::EndRange>(sorted.count);
    work_.space.for_each(sorted.count, BuildRanges{sorted, ranges});
    const std::uint32_t* range_count = sorted.places + sorted.count;
    if (limited.limits != nullptr) {
      limited.ranges = ranges;
      limited.count = range_count;
      ranges = work_.arena.template take<align::EndRange>(sorted.count);
      range_count = keep_wanted(sorted.count, limited, ranges);
    }
    const std::uint32_t count = work_.space.fetch(range_count);
    watch.lap(work_.seconds.verify);
    const std::size_t before = out.ranges.size();
    out.ranges.resize(before + count);
    work_.space.download(out.ranges.data() + before, ranges, count);
    const std::uint64_t position_mask = (std::uint64_t{1} << limited.position_bits) - 1;
    for (std::size_t i = before; i < out.ranges.size(); ++i) {
      engine::EndRange& range = out.ranges[i];
      ++out.first[first_strand + (range.first >> limited.position_bits) + 1];
      range = {range.first & position_mask, range.last & position_mask};
    }
    watch.lap(work_.seconds.copy);
  }

  void count_ranges(const SortedEndRuns& sorted, std::uint64_t strands, std::size_t first_strand,
                    engine::EndRanges& out) {
    std::uint32_t* const before = work_.arena.template take<std::uint32_t>(strands + 1);
    work_.space.for_each(strands + 1, CountLociBefore{sorted, work_.format.position_bits, before});
    std::vector<std::uint32_t> counts(strands + 1);
    work_.space.download(counts.data(), before, strands + 1);
    for (std::uint64_t s = 0; s < strands; ++s) {
      out.first[first_strand + s + 1] = counts[s + 1] - counts[s];
    }
  }

  // Copies the ranges that are wanted to `kept`; there are at most `most` ranges. Returns where their number is.
  const std::uint32_t* keep_wanted(std::uint64_t most, LimitedRanges& limited, align::EndRange* kept) {
    limited.scores = work_.arena.template take<std::uint32_t>(most);
    std::uint32_t* const places = work_.arena.template take<std::uint32_t>(most + 1);
    work_.space.for_each_warp(most, ScoreRanges{work_.reference.view(), limited});
    work_.space.for_each(most, MarkWanted{limited, places});
    work_.to_places(places, most);
    work_.space.for_each(most, KeepSome<align::EndRange>{places, limited.ranges, kept});
    return places + most;
  }

  map::MapOptions options_;
  DeviceWork<Space> work_;
  Upload<Space> upload_;
  EndRunFinder<Space> finder_;
  ReadMapper<Space> reads_;
  align::AlignmentBatch piece_;
  std::size_t most_reads_;
  std::size_t reads_at_once_;
  std::size_t queries_at_once_;  // of find_ranges()
};

}  // namespace trawl::gpu
