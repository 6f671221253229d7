// From reads to the end runs of their loci: seeds, hits, candidates and verification in every part of the index, or a
// scan of the reference. This file sets the order of the steps and their memory; loci.hpp continues with the end runs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "gpu/device/arena.hpp"
#include "gpu/map/candidates.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/end_runs.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/scan.hpp"
#include "map/options.hpp"
#include "map/reference_scan.hpp"

namespace trawl::gpu {

template <class Space>
class EndRunFinder {
 public:
  explicit EndRunFinder(DeviceWork<Space>& work)
      : work_(work), space_(work.space), arena_(work.arena), search_(work.options.search), gaps_(work.options.gaps()) {}

  /// The end runs of the loci of all reads. `limit`: where ambiguous letters match.
  EndRuns find(const ReadsView& reads, const EndLimit& limit) {
    return reads.most_edits <= 15 ? find_with<std::uint32_t>(reads, limit) : find_with<std::uint64_t>(reads, limit);
  }

  /// All of them. If one of these has all end runs, it is the result. Otherwise they are copied together at the low end
  /// of the arena.
  EndRuns together(std::vector<EndRuns> found) {
    std::erase_if(found, [](const EndRuns& end_runs) { return end_runs.count == 0; });
    if (found.size() == 1) {
      return found[0];
    }
    EndRuns all;
    for (const EndRuns& some : found) {
      all.count += some.count;
    }
    all.keys = arena_.take<std::uint64_t>(all.count);
    all.values = arena_.take<std::uint32_t>(all.count);
    std::uint64_t at = 0;
    for (const EndRuns& some : found) {
      space_.copy(all.keys + at, some.keys, some.count);
      space_.copy(all.values + at, some.values, some.count);
      at += some.count;
    }
    return all;
  }

  /// At least one end run is needed. `only_loci`: repetitions of other loci are not counted in `places`.
  SortedEndRuns sort(const ReadsView& reads, const EndRuns& end_runs, bool only_loci) {
    const std::uint64_t count = end_runs.count;
    const unsigned position_bits = work_.format.position_bits;
    const unsigned bits = position_bits + static_cast<unsigned>(std::bit_width(2 * reads.count));
    const auto [keys, values] = space_.sort_pairs(end_runs.keys, end_runs.values, count, bits, arena_);
    std::uint64_t* const reach = arena_.take<std::uint64_t>(count);
    std::uint32_t* const places = arena_.take<std::uint32_t>(count + 1);
    space_.for_each(count, FindReach{keys, values, reach});
    space_.inclusive_max(reach, count, arena_);
    const SortedEndRuns sorted{{keys, values, count}, reach, places, !gaps_};
    const bool with_repeats = !only_loci || !work_.reference.view().has_circles;
    space_.for_each(count, MarkHeads{{sorted, work_.reference.view(), position_bits}, with_repeats, places});
    work_.to_places(places, count);
    return sorted;
  }

 private:
  // A band is as wide as Word has bits. If all end runs were found at once, they are at the high end of the arena.
  template <class Word>
  EndRuns find_with(const ReadsView& reads, const EndLimit& limit);

  // Finds the end runs of all reads in one part. If the reads do not fit together, takes some at a time, so that the
  // part is not built again for the rest.
  template <class Word>
  void find_in_part(const ReadsView& reads, const EndLimit& limit, const PartView& part, std::uint8_t* marks,
                    std::vector<EndRuns>& found) {
    std::uint32_t at_once = reads.count;
    for (std::uint32_t first = 0; first < reads.count;) {
      const std::uint32_t count = std::min(at_once, reads.count - first);
      const Arena before = arena_;
      try {
        found.push_back(verify<Word>(reads, limit, first, count, part, marks));
        arena_.release(before.mark());
        first += count;
        at_once += at_once / 4 + 1;  // one read that needs much room must not slow down the reads after it
      } catch (const OutOfRoom&) {
        if (count == 1) {
          throw;
        }
        arena_ = before;
        at_once = count / 2;
      }
    }
  }

  // For `count` reads from read `first` on; the result is at the high end of the arena.
  template <class Word>
  EndRuns verify(const ReadsView& all_reads, const EndLimit& limit, std::uint32_t first, std::uint32_t count,
                 const PartView& part, std::uint8_t* all_marks) {
    Stopwatch watch;
    const std::uint64_t first_strand = 2 * std::uint64_t{first};
    std::uint8_t* const marks = all_marks + first_strand;
    ReadsView reads = all_reads;
    reads.reads += first;
    reads.strands += first_strand * reads.stride;
    reads.sets += reads.sets == nullptr ? 0 : first_strand * reads.stride;
    reads.count = count;
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    const std::uint32_t seeds_a_strand = reads.most_edits + 1;
    const std::uint64_t seed_count = strands * seeds_a_strand;
    StrandPlan* const plans = arena_.take<StrandPlan>(strands);
    DeviceSeed* const seeds = arena_.take<DeviceSeed>(seed_count);
    std::uint64_t* const ends = arena_.take<std::uint64_t>(seed_count);
    space_.for_each(strands, PlanSeeds{reads, part.q, plans, marks});
    const std::size_t mark = arena_.mark();
    std::uint32_t* const frequencies = arena_.take<std::uint32_t>(strands * reads.longest);
    std::uint32_t* const rows = arena_.take<std::uint32_t>(2 * strands * (reads.longest + 1));
    std::uint32_t* const improves = arena_.take<std::uint32_t>(seed_count * (reads.longest / 32 + 1));
    space_.for_each(strands * reads.longest, LookUpFrequencies{reads, part, plans, frequencies});
    space_.for_each(strands, ChooseSeeds{reads, part, plans, frequencies, rows, improves, seeds_a_strand,
                                         most_hits(part), marks, seeds, ends});
    arena_.release(mark);
    space_.inclusive_sum(ends, seed_count, arena_);
    const std::uint64_t hits = space_.fetch(ends + seed_count - 1);
    if (hits >= ~std::uint32_t{0}) {
      throw OutOfRoom();
    }

    const ReferenceView& view = work_.reference.view();
    std::uint64_t* const candidates = arena_.take<std::uint64_t>(hits);
    std::uint32_t* const candidate_count = arena_.take<std::uint32_t>(1);
    space_.zero(candidate_count, 1);
    space_.for_each(hits, KeepCandidates{view, reads, part, seeds, seeds_a_strand, ends, candidates, candidate_count});
    const std::uint32_t kept = space_.fetch(candidate_count);
    watch.lap(work_.seconds.seed);

    // A candidate makes at most one end run in nearly all cases.
    const EndRuns end_runs = collect(kept, limit, [&](const EndRunOutput& out) {
      if (!gaps_) {
        space_.for_each(kept, CountMismatches{view, reads, candidates, out});
      } else if (reads.sets != nullptr) {
        space_.for_each(kept, VerifyCandidates<Word, SetBlock>{view, reads, candidates, out});
      } else {
        space_.for_each(kept, VerifyCandidates<Word, BaseBlock>{view, reads, candidates, out});
      }
    });
    watch.lap(work_.seconds.verify);
    return end_runs;
  }

  // The end runs that write(out) puts out, at the high end of the arena. If there is not enough room, it is called
  // again with room for all.
  template <class Write>
  EndRuns collect(std::uint64_t capacity, const EndLimit& limit, const Write& write) {
    std::uint64_t* const count = arena_.take<std::uint64_t>(1);
    while (true) {
      const std::size_t mark = arena_.mark();
      const EndRunOutput out{arena_.take<std::uint64_t>(capacity),
                             arena_.take<std::uint32_t>(capacity),
                             count,
                             capacity,
                             work_.format.position_bits,
                             limit};
      space_.zero(count, 1);
      write(out);
      const std::uint64_t found = space_.fetch(count);
      if (found <= capacity) {  // maybe far fewer
        const EndRuns kept{arena_.take_high<std::uint64_t>(found), arena_.take_high<std::uint32_t>(found), found};
        space_.copy(kept.keys, out.keys, found);
        space_.copy(kept.values, out.values, found);
        return kept;
      }
      capacity = found;
      arena_.release(mark);
    }
  }

  // Finds the end runs of the strands with mark `wanted` by a scan: of the whole reference or, if `around`, of the
  // stretches around ambiguous letters.
  EndRuns scan(const ReadsView& reads, const EndLimit& limit, const std::uint8_t* marks, std::uint8_t wanted,
               bool around) {
    Stopwatch watch;
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    const std::size_t mark = arena_.mark();
    std::uint32_t* const list = arena_.take<std::uint32_t>(strands);
    std::uint32_t* const list_size = arena_.take<std::uint32_t>(1);
    space_.zero(list_size, 1);
    space_.for_each(strands, ListMarked{reads, marks, wanted, list, list_size});
    const std::uint32_t marked = space_.fetch(list_size);
    EndRuns end_runs;
    if (marked > 0) {
      const ScanChunks chunks = make_chunks(reads, limit, around);
      // All the room that later steps do not need.
      end_runs = collect(arena_.room() / 64, limit, [&](const EndRunOutput& out) {
        reads.sets != nullptr ? scan_strands<SetBlock>(reads, list, marked, chunks, out)
                              : scan_strands<BaseBlock>(reads, list, marked, chunks, out);
      });
    }
    arena_.release(mark);
    watch.lap(work_.seconds.scan);
    return end_runs;
  }

  ScanChunks make_chunks(const ReadsView& reads, const EndLimit& limit, bool around) {
    ScanChunks chunks;
    chunks.size = work_.reference.view().block_count * 32;
    // With longer chunks, fewer positions are computed twice. A small reference needs short chunks to keep all threads
    // of a GPU busy.
    chunks.length = chunks.size < (1 << 22) ? 256 : 4096;
    if (reads.sets == nullptr) {
      chunks.count = static_cast<std::uint64_t>((chunks.size + chunks.length - 1) / chunks.length);
      return chunks;
    }
    chunk_list_.clear();
    for (const map::ReferenceStretch& stretch :
         around
             ? map::stretches_around_ambiguous(work_.reference.source(), reads.longest, reads.most_edits, limit.deepest)
             : map::all_stretches_with_ambiguous(work_.reference.source(), limit.deepest)) {
      const auto begin = static_cast<std::int64_t>(stretch.begin);
      const auto end = static_cast<std::int64_t>(stretch.end);
      for (std::int64_t first_end = begin; first_end < end; first_end += chunks.length) {
        chunk_list_.push_back({begin, first_end, std::min(first_end + chunks.length, end)});
      }
    }
    chunks.count = chunk_list_.size();
    ScanChunk* const list = arena_.take<ScanChunk>(chunks.count);
    space_.upload(list, chunk_list_.data(), chunks.count);
    chunks.list = list;
    return chunks;
  }

  template <class Letters>
  void scan_strands(const ReadsView& reads, const std::uint32_t* list, std::uint32_t marked, const ScanChunks& chunks,
                    const EndRunOutput& out) {
    const ReferenceView& view = work_.reference.view();
    const std::uint64_t items = marked * chunks.count;
    if (!gaps_) {
      space_.for_each(items, ScanWithoutGaps<Letters>{view, reads, list, chunks, out});
    } else if (reads.longest <= 160) {
      space_.for_each(items, ScanStrands<5, Letters>{view, reads, list, chunks, out});
    } else {
      space_.for_each(items, ScanStrands<kMaxDeviceRead / 32, Letters>{view, reads, list, chunks, out});
    }
  }

  // The most hits of a strand in a part. If all other parts have as many, a scan of the whole reference costs less. The
  // last part may be short.
  std::uint64_t most_hits(const PartView& part) const {
    const std::uint64_t share =
        static_cast<std::uint64_t>(work_.reference.view().block_count) * 32 / work_.reference.plan().parts;
    return search_ == map::SearchMethod::seeds ? ~std::uint64_t{0}
                                               : std::max(part.end - part.begin, share) / kColumnsPerHit;
  }

  // Scanning this many reference positions for a strand costs as much as one seed hit (docs/record/map.md).
  static constexpr std::uint64_t kColumnsPerHit = 128;

  DeviceWork<Space>& work_;
  Space& space_;
  Arena& arena_;
  map::SearchMethod search_;
  bool gaps_;
  std::vector<ScanChunk> chunk_list_;
};

// Outside of the class, and so not inline: for CUDA it is compiled in a file of its own, cuda_end_runs.cu.
template <class Space>
template <class Word>
EndRuns EndRunFinder<Space>::find_with(const ReadsView& reads, const EndLimit& limit) {
  const std::uint64_t strands = 2 * std::uint64_t{reads.count};
  std::uint8_t* const marks = arena_.take<std::uint8_t>(strands);  // 1: the strand needs a scan
  space_.zero(marks, strands);
  std::vector<EndRuns> found;
  if (search_ == map::SearchMethod::scan ||
      (search_ == map::SearchMethod::automatic && work_.reference.scan_is_cheaper(reads.count))) {
    space_.for_each(strands, MarkAll{reads, marks});
  } else {
    const std::size_t parts = work_.reference.plan().parts;
    const std::size_t first = work_.reference.first_part();
    for (std::size_t p = 0; p < parts; ++p) {
      Stopwatch watch;
      const PartView part = work_.reference.part((first + p) % parts, space_);
      watch.lap(work_.seconds.seed);
      find_in_part<Word>(reads, limit, part, marks, found);
    }
  }
  found.push_back(scan(reads, limit, marks, 1, false));
  if (reads.sets != nullptr && work_.reference.view().run_count > 0) {
    found.push_back(scan(reads, limit, marks, 0, true));  // there are no seeds where letters are ambiguous
  }
  return together(std::move(found));
}

}  // namespace trawl::gpu
