// From reads to the end runs of their loci: seeds, hits, candidates and verification in every part of the index, or a
// scan of the reference. This file sets the order of the steps and their memory; loci.hpp continues with the end runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/stopwatch.hpp"
#include "engine/engine.hpp"
#include "gpu/device/arena.hpp"
#include "gpu/map/candidates.hpp"
#include "gpu/map/choose_seeds.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/scan.hpp"
#include "gpu/map/verify.hpp"
#include "map/options.hpp"
#include "map/reference_scan.hpp"

namespace trawl::gpu {

/// EndRuns in no particular order, as EndRunOutput::put() writes them.
struct EndRuns {
  std::uint64_t* keys = nullptr;
  std::uint32_t* values = nullptr;
  std::uint64_t count = 0;
};

template <class Space>
class EndRunFinder {
 public:
  EndRunFinder(DeviceReference<Space>& reference, const map::Options& options, Space& space)
      : reference_(reference),
        search_(options.search),
        gaps_(options.gaps()),
        space_(space),
        position_bits_(reference.position_bits()) {}

  /// The end runs of the loci of all reads. A band is as wide as Word has bits. If all end runs were found at once,
  /// they are at the high end of the arena. Otherwise they are copied together at its low end. `limit`: where ambiguous
  /// letters match.
  template <class Word>
  EndRuns find(const ReadsView& reads, const EndLimit& limit, Arena& arena, engine::StageSeconds& seconds);

 private:
  // Finds the end runs of all reads in one part. If the reads do not fit together, takes some at a time, so that the
  // part is not built again for the rest.
  template <class Word>
  void find_in_part(const ReadsView& reads, const EndLimit& limit, const PartView& part, std::uint8_t* marks,
                    Arena& arena, engine::StageSeconds& seconds, std::vector<EndRuns>& found) {
    std::uint32_t at_once = reads.count;
    for (std::uint32_t first = 0; first < reads.count;) {
      const std::uint32_t count = std::min(at_once, reads.count - first);
      const Arena before = arena;
      try {
        found.push_back(verify<Word>(reads, limit, first, count, part, marks, arena, seconds));
        arena.release(before.mark());
        first += count;
        at_once += at_once / 4 + 1;  // one read that needs much room must not slow down the reads after it
      } catch (const OutOfRoom&) {
        if (count == 1) {
          throw;
        }
        arena = before;
        at_once = count / 2;
      }
    }
  }

  // For `count` reads from read `first` on; the result is at the high end of the arena.
  template <class Word>
  EndRuns verify(const ReadsView& all_reads, const EndLimit& limit, std::uint32_t first, std::uint32_t count,
                 const PartView& part, std::uint8_t* all_marks, Arena& arena, engine::StageSeconds& seconds) {
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
    SeedPlan* const plans = arena.take<SeedPlan>(strands);
    DeviceSeed* const seeds = arena.take<DeviceSeed>(seed_count);
    std::uint64_t* const ends = arena.take<std::uint64_t>(seed_count);
    space_.for_each(strands, PlanSeeds{reads, part.q, plans, marks});
    choose_seeds(reads, part, plans, seeds, ends, seeds_a_strand, marks, arena);
    space_.inclusive_sum(ends, seed_count, arena);
    const std::uint64_t hits = space_.fetch(ends + seed_count - 1);
    if (hits >= ~std::uint32_t{0}) {
      throw OutOfRoom();
    }

    std::uint64_t* const candidates = arena.take<std::uint64_t>(hits);
    std::uint32_t* const candidate_count = arena.take<std::uint32_t>(1);
    std::uint64_t* const end_run_count = arena.take<std::uint64_t>(1);
    space_.zero(candidate_count, 1);
    const std::uint64_t tiles = (hits + kHitTile - 1) / kHitTile;
    std::uint64_t* const tile_seeds = arena.take<std::uint64_t>(tiles + 1);
    space_.for_each(tiles + 1, FindTileSeeds{ends, seed_count, tile_seeds});
    space_.for_each(hits, KeepCandidates{reference_.view(), reads, part, seeds, seeds_a_strand, ends, tile_seeds,
                                         candidates, candidate_count});
    const std::uint32_t kept = space_.fetch(candidate_count);
    watch.lap(seconds.seed);

    // A candidate makes at most one end run in nearly all cases. If there are more, verify again with room for all.
    EndRuns end_runs;
    for (std::uint64_t capacity = kept;;) {
      const std::size_t mark = arena.mark();
      const EndRunOutput out{arena.take<std::uint64_t>(capacity),
                             arena.take<std::uint32_t>(capacity),
                             end_run_count,
                             capacity,
                             position_bits_,
                             first_strand,
                             limit};
      space_.zero(end_run_count, 1);
      if (!gaps_) {
        space_.for_each(kept, CountMismatches{reference_.view(), reads, candidates, out});
      } else if (reads.sets != nullptr) {
        space_.for_each(kept, VerifyCandidates<Word, SetBlock>{reference_.view(), reads, candidates, out});
      } else {
        space_.for_each(kept, VerifyCandidates<Word, Block>{reference_.view(), reads, candidates, out});
      }
      end_runs.count = space_.fetch(end_run_count);
      if (end_runs.count <= capacity) {
        keep(out, end_runs, arena);
        watch.lap(seconds.verify);
        return end_runs;
      }
      capacity = end_runs.count;
      arena.release(mark);
    }
  }

  // Copies the end runs to the high end of the arena. There may be far fewer than there was room for.
  void keep(const EndRunOutput& out, EndRuns& end_runs, Arena& arena) {
    end_runs.keys = arena.take_high<std::uint64_t>(end_runs.count);
    end_runs.values = arena.take_high<std::uint32_t>(end_runs.count);
    space_.copy(end_runs.keys, out.keys, end_runs.count);
    space_.copy(end_runs.values, out.values, end_runs.count);
  }

  // Finds the end runs of the strands with mark `wanted` by a scan: of the whole reference or, if `around`, of the
  // stretches around ambiguous letters.
  EndRuns scan(const ReadsView& reads, const EndLimit& limit, const std::uint8_t* marks, std::uint8_t wanted,
               bool around, Arena& arena, engine::StageSeconds& seconds) {
    Stopwatch watch;
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    const std::size_t mark = arena.mark();
    std::uint32_t* const list = arena.take<std::uint32_t>(strands);
    std::uint32_t* const list_size = arena.take<std::uint32_t>(1);
    std::uint64_t* const end_run_count = arena.take<std::uint64_t>(1);
    space_.zero(list_size, 1);
    space_.for_each(strands, ListMarked{reads, marks, wanted, list, list_size});
    const std::uint32_t marked = space_.fetch(list_size);
    const ScanChunks chunks = marked > 0 ? make_chunks(reads, limit, around, arena) : ScanChunks{};
    EndRuns end_runs;
    // Use all the room that later steps do not need. If it is not enough, scan again with room for all.
    for (std::uint64_t capacity = arena.room() / 64; marked > 0;) {
      const std::size_t before = arena.mark();
      const EndRunOutput out{arena.take<std::uint64_t>(capacity),
                             arena.take<std::uint32_t>(capacity),
                             end_run_count,
                             capacity,
                             position_bits_,
                             0,
                             limit};
      space_.zero(end_run_count, 1);
      scan_strands(reads, list, marked, chunks, out);
      end_runs.count = space_.fetch(end_run_count);
      if (end_runs.count <= capacity) {
        keep(out, end_runs, arena);
        break;
      }
      capacity = end_runs.count;
      arena.release(before);
    }
    arena.release(mark);
    watch.lap(seconds.scan);
    return end_runs;
  }

  ScanChunks make_chunks(const ReadsView& reads, const EndLimit& limit, bool around, Arena& arena) {
    ScanChunks chunks;
    chunks.size = reference_.view().block_count * 32;
    // With longer chunks, fewer positions are computed twice. A small reference needs short chunks to keep all threads
    // of a GPU busy.
    chunks.length = chunks.size < (1 << 22) ? 256 : 4096;
    if (reads.sets == nullptr) {
      chunks.count = static_cast<std::uint64_t>((chunks.size + chunks.length - 1) / chunks.length);
      return chunks;
    }
    chunk_list_.clear();
    for (const map::Stretch& stretch :
         around ? map::stretches_around_ambiguous(reference_.source(), reads.longest, reads.most_edits, limit.deepest)
                : map::all_stretches_with_ambiguous(reference_.source(), limit.deepest)) {
      const auto begin = static_cast<std::int64_t>(stretch.begin);
      const auto end = static_cast<std::int64_t>(stretch.end);
      for (std::int64_t first_end = begin; first_end < end; first_end += chunks.length) {
        chunk_list_.push_back({begin, first_end, std::min(first_end + chunks.length, end)});
      }
    }
    chunks.count = chunk_list_.size();
    ScanChunk* const list = arena.take<ScanChunk>(chunks.count);
    space_.upload(list, chunk_list_.data(), chunks.count);
    chunks.list = list;
    return chunks;
  }

  void scan_strands(const ReadsView& reads, const std::uint32_t* list, std::uint32_t marked, const ScanChunks& chunks,
                    const EndRunOutput& out) {
    const ReferenceView& view = reference_.view();
    const std::uint64_t items = marked * chunks.count;
    const auto run = [&](auto blocks) {
      space_.for_each(items, ScanStrands<blocks(), Block>{view, reads, list, chunks, out});
    };
    if (!gaps_ && reads.sets != nullptr) {
      space_.for_each(items, ScanWithoutGaps<SetBlock>{view, reads, list, chunks, out});
    } else if (!gaps_) {
      space_.for_each(items, ScanWithoutGaps<Block>{view, reads, list, chunks, out});
    } else if (reads.sets != nullptr && reads.longest <= 160) {
      space_.for_each(items, ScanStrands<5, SetBlock>{view, reads, list, chunks, out});
    } else if (reads.sets != nullptr) {
      space_.for_each(items, ScanStrands<kMaxDeviceRead / 32, SetBlock>{view, reads, list, chunks, out});
    } else if (reads.longest <= 64) {
      run(std::integral_constant<unsigned, 2>());
    } else if (reads.longest <= 128) {
      run(std::integral_constant<unsigned, 4>());
    } else if (reads.longest <= 320) {
      run(std::integral_constant<unsigned, 10>());
    } else {
      run(std::integral_constant<unsigned, kMaxDeviceRead / 32>());
    }
  }

  void choose_seeds(const ReadsView& reads, const PartView& part, const SeedPlan* plans, DeviceSeed* seeds,
                    std::uint64_t* hit_counts, std::uint32_t seeds_a_strand, std::uint8_t* marks, Arena& arena) {
    const std::size_t mark = arena.mark();
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    std::uint32_t* const frequencies = arena.take<std::uint32_t>(strands * reads.longest);
    std::uint32_t* const rows = arena.take<std::uint32_t>(2 * strands * (reads.longest + 1));
    std::uint32_t* const improves = arena.take<std::uint32_t>(strands * seeds_a_strand * (reads.longest / 32 + 1));
    space_.for_each(strands * reads.longest, LookUpFrequencies{reads, part, plans, frequencies});
    space_.for_each(strands, ChooseSeeds{reads, part, plans, frequencies, rows, improves, seeds_a_strand,
                                         most_hits(part), marks, seeds, hit_counts});
    arena.release(mark);
  }

  // The most hits of a strand in a part. If all other parts have as many, a scan of the whole reference costs less. The
  // last part may be short.
  std::uint64_t most_hits(const PartView& part) const {
    const std::uint64_t share =
        static_cast<std::uint64_t>(reference_.view().block_count) * 32 / reference_.plan().parts;
    return search_ == map::Search::seeds ? ~std::uint64_t{0} : std::max(part.end - part.begin, share) / kColumnsPerHit;
  }

  // Scanning this many reference positions for a strand costs as much as one seed hit (docs/record/map.md).
  static constexpr std::uint64_t kColumnsPerHit = 128;

  DeviceReference<Space>& reference_;
  map::Search search_;
  bool gaps_;
  Space& space_;
  unsigned position_bits_;
  std::vector<ScanChunk> chunk_list_;
};

// Outside of the class, and so not inline: of the engine for CUDA it is compiled in a file of its own,
// cuda_end_runs.cu.
template <class Space>
template <class Word>
EndRuns EndRunFinder<Space>::find(const ReadsView& reads, const EndLimit& limit, Arena& arena,
                                  engine::StageSeconds& seconds) {
  const std::uint64_t strands = 2 * std::uint64_t{reads.count};
  std::uint8_t* const marks = arena.take<std::uint8_t>(strands);  // 1: the strand needs a scan
  space_.zero(marks, strands);
  std::vector<EndRuns> found;
  if (search_ == map::Search::scan || (search_ == map::Search::automatic && reference_.scan_is_cheaper(reads.count))) {
    space_.for_each(strands, MarkAll{reads, marks});
  } else {
    const std::size_t parts = reference_.plan().parts;
    const std::size_t first = reference_.first_part();
    for (std::size_t p = 0; p < parts; ++p) {
      Stopwatch watch;
      const PartView part = reference_.part((first + p) % parts, space_);
      watch.lap(seconds.seed);
      find_in_part<Word>(reads, limit, part, marks, arena, seconds, found);
    }
  }
  found.push_back(scan(reads, limit, marks, 1, false, arena, seconds));
  if (reads.sets != nullptr && reference_.view().run_count > 0) {
    found.push_back(
        scan(reads, limit, marks, 0, true, arena, seconds));  // there are no seeds where letters are ambiguous
  }
  std::erase_if(found, [](const EndRuns& end_runs) { return end_runs.count == 0; });
  if (found.size() == 1) {
    return found[0];
  }
  EndRuns all;
  for (const EndRuns& some : found) {
    all.count += some.count;
  }
  all.keys = arena.take<std::uint64_t>(all.count);
  all.values = arena.take<std::uint32_t>(all.count);
  std::uint64_t at = 0;
  for (const EndRuns& some : found) {
    space_.copy(all.keys + at, some.keys, some.count);
    space_.copy(all.values + at, some.values, some.count);
    at += some.count;
  }
  return all;
}

}  // namespace trawl::gpu
