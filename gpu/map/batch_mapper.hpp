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
#include "gpu/map/range_mapper.hpp"
#include "gpu/map/read_mapper.hpp"
#include "gpu/map/upload.hpp"
#include "map/options.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::gpu {

template <class Space>
class BatchMapper {
 public:
  BatchMapper(DeviceReference<Space>& reference, const map::Options& options, Space& space, const Arena& arena)
      : options_(options),
        work_{reference, options_, space, arena, {reference.position_bits()}, {}},
        upload_(work_),
        finder_(work_),
        reads_(work_, finder_, upload_),
        ranges_(work_, finder_) {
    const unsigned read_bits = std::min(20u, 63 - LocusFormat::kDistanceBits - work_.format.position_bits);
    most_reads_ = std::size_t{1} << (read_bits - 1);
    reads_at_once_ = most_reads_;
    queries_at_once_ = most_reads_;
  }

  /// Replaces the contents of `out`. The results of the reads listed in `left` are not filled in. `single`: reports the
  /// best locus of every read, and takes mates for single reads.
  void map(const sequence::ReadBatch& batch, bool single, const align::InsertModel& inserts, align::AlignmentBatch& out,
           std::vector<std::uint32_t>& left) {
    reads_.set_rule(single ? align::ReportRule{} : options_.report_rule(), inserts);
    out.clear();
    out.reads.resize(batch.size());
    const bool paired = batch.paired && !single;
    out.pairs.resize(paired ? batch.size() / 2 : 0);
    // Mates stay together.
    in_pieces(batch.size(), paired ? 2 : 1, reads_at_once_, left, [&](std::size_t first, std::size_t count) {
      Stopwatch watch;
      const ReadsView reads = upload_.reads(batch, first, count, paired);
      watch.lap(work_.seconds.copy);
      reads_.map(reads, first, out);
    });
    align::sort_records(out);
  }

  /// Replaces the contents of `out`. The queries listed in `left` have no ranges in it. Of the options only those that
  /// say how to search count. `only_count`: as engine::RangeFinder::count().
  void find_ranges(std::span<const engine::RangeQuery> queries, bool only_count, engine::EndRanges& out,
                   std::vector<std::uint32_t>& left) {
    out.ranges.clear();
    out.first.assign(2 * queries.size() + 1, 0);
    in_pieces(queries.size(), 1, queries_at_once_, left, [&](std::size_t first, std::size_t count) {
      Stopwatch watch;
      const LimitedRanges limited = upload_.queries(queries.subspan(first, count));
      watch.lap(work_.seconds.copy);
      if (limited.queries.longest > 0) {
        ranges_.find(limited, 2 * first, only_count, out);
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

  map::Options options_;
  DeviceWork<Space> work_;
  Upload<Space> upload_;
  EndRunFinder<Space> finder_;
  ReadMapper<Space> reads_;
  RangeMapper<Space> ranges_;
  std::size_t most_reads_;
  std::size_t reads_at_once_;
  std::size_t queries_at_once_;  // of find_ranges()
};

}  // namespace trawl::gpu
