// From queries of engine::RangeFinder on the device to their ranges, or to how many there are.
//
//   RangeMapper<Space> mapper(work, finder);
//   mapper.find(upload.queries(queries), 0, false, ranges);
#pragma once

#include <cstdint>
#include <vector>

#include "base/stopwatch.hpp"
#include "engine/engine.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/end_run_finder.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/range_filter.hpp"

namespace trawl::gpu {

template <class Space>
class RangeMapper {
 public:
  /// Both must outlive it.
  RangeMapper(DeviceWork<Space>& work, EndRunFinder<Space>& finder)
      : work_(work), space_(work.space), finder_(finder) {}

  /// The first strand of the queries is strand `first_strand` in `out`: out.first[s + 1] becomes the number of ranges
  /// of strand s. `only_count`: no ranges are added to `out`.
  void find(LimitedRanges limited, std::size_t first_strand, bool only_count, engine::EndRanges& out) {
    const ReadsView& queries = limited.queries;
    EndLimit limit;
    limit.deepest = limited.reads.longest + queries.most_edits;
    const EndRuns end_runs = queries.most_edits <= 15 ? finder_.template find<std::uint32_t>(queries, limit)
                                                      : finder_.template find<std::uint64_t>(queries, limit);
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
    space_.for_each(sorted.count, BuildRanges{sorted, ranges});
    const std::uint32_t* range_count = sorted.places + sorted.count;
    if (limited.limits != nullptr) {
      limited.ranges = ranges;
      limited.count = range_count;
      ranges = work_.arena.template take<align::EndRange>(sorted.count);
      range_count = keep_wanted(sorted.count, limited, ranges);
    }
    const std::uint32_t count = space_.fetch(range_count);
    watch.lap(work_.seconds.verify);
    const std::size_t before = out.ranges.size();
    out.ranges.resize(before + count);
    space_.download(out.ranges.data() + before, ranges, count);
    const std::uint64_t position_mask = (std::uint64_t{1} << limited.position_bits) - 1;
    for (std::size_t i = before; i < out.ranges.size(); ++i) {
      engine::EndRange& range = out.ranges[i];
      ++out.first[first_strand + (range.first >> limited.position_bits) + 1];
      range = {range.first & position_mask, range.last & position_mask};
    }
    watch.lap(work_.seconds.copy);
  }

 private:
  void count_ranges(const SortedEndRuns& sorted, std::uint64_t strands, std::size_t first_strand,
                    engine::EndRanges& out) {
    std::uint32_t* const before = work_.arena.template take<std::uint32_t>(strands + 1);
    space_.for_each(strands + 1, CountLociBefore{sorted, work_.format.position_bits, before});
    std::vector<std::uint32_t> counts(strands + 1);
    space_.download(counts.data(), before, strands + 1);
    for (std::uint64_t s = 0; s < strands; ++s) {
      out.first[first_strand + s + 1] = counts[s + 1] - counts[s];
    }
  }

  // Copies the ranges that are wanted to `kept`; there are at most `most` ranges. Returns where their number is.
  const std::uint32_t* keep_wanted(std::uint64_t most, LimitedRanges& limited, align::EndRange* kept) {
    limited.scores = work_.arena.template take<std::uint32_t>(most);
    std::uint32_t* const places = work_.arena.template take<std::uint32_t>(most + 1);
    space_.for_each_warp(most, ScoreRanges{work_.reference.view(), limited});
    space_.for_each(most, MarkWanted{limited, places});
    work_.to_places(places, most);
    space_.for_each(most, KeepSome<align::EndRange>{places, limited.ranges, kept});
    return places + most;
  }

  DeviceWork<Space>& work_;
  Space& space_;
  EndRunFinder<Space>& finder_;
};

}  // namespace trawl::gpu
