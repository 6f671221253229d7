// Takes a batch of reads through all steps of gpu/map/ in a space (device_space.cuh, or host_space.hpp for tests):
// seeds, candidates, verification, loci, selection, alignment. Only the records are copied back.
//
//   BatchMapper<Space> mapper(reference, options, space, arena);
//   mapper.map(batch, alignments, left);    // `left`: the reads that the device leaves for the CPU
//
// The reads that are mapped together must fit in the arena. If they do not fit, half of them are tried. A single read
// that does not fit is left for the CPU. So no read is lost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "base/stopwatch.hpp"
#include "gpu/device/arena.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/end_run_finder.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/select.hpp"
#include "map/options.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::gpu {

template <class Space>
class BatchMapper {
 public:
  BatchMapper(DeviceReference<Space>& reference, const map::Options& options, Space& space, const Arena& arena)
      : reference_(reference), options_(options), space_(space), arena_(arena), finder_(reference, options, space) {
    format_.position_bits = reference.position_bits();
    const unsigned read_bits = std::min(20u, 63 - LocusFormat::kDistanceBits - format_.position_bits);
    most_reads_ = std::size_t{1} << (read_bits - 1);
    reads_at_once_ = most_reads_;
  }

  /// Replaces the contents of `out`. The results of the reads listed in `left` are not filled in. The options must not
  /// ask for matching of ambiguous bases. `single`: reports the best locus of every read, and takes mates for single
  /// reads.
  void map(const sequence::ReadBatch& batch, bool single, const align::InsertModel& inserts, align::AlignmentBatch& out,
           std::vector<std::uint32_t>& left) {
    rule_ = single ? align::ReportRule{} : options_.report_rule();
    static_cast<void>(inserts);
    out.clear();
    out.reads.resize(batch.size());
    left.clear();
    for (std::size_t first = 0; first < batch.size();) {
      const std::size_t count = std::min({batch.size() - first, reads_at_once_, most_reads_});
      try {
        arena_.clear();
        map_range(batch, first, count, out, left);
        first += count;
        reads_at_once_ = std::min(2 * reads_at_once_, most_reads_);  // the next reads may need less room
      } catch (const OutOfRoom&) {
        if (count > 1) {
          reads_at_once_ = count / 2;
        } else {
          left.push_back(static_cast<std::uint32_t>(first++));
        }
      }
    }
  }

  /// The seconds spent since the last call.
  map::StageSeconds take_seconds() { return std::exchange(seconds_, {}); }

 private:
  struct Loci {
    std::uint64_t* loci;
    std::uint64_t count;
    std::uint32_t* first;  // [read]: index of its first locus
  };

  void map_range(const sequence::ReadBatch& batch, std::size_t first, std::size_t count, align::AlignmentBatch& out,
                 std::vector<std::uint32_t>& left) {
    Stopwatch watch;
    const ReadsView reads = upload(batch, first, count);
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
    for (std::size_t r = 0; r < count; ++r) {
      if (entries_[r].length == 0 && !entries_[r].too_short) {
        left.push_back(static_cast<std::uint32_t>(first + r));
      }
    }
  }

  // First the text of the reads and the facts about each read; then both strands, encoded.
  ReadsView upload(const sequence::ReadBatch& batch, std::size_t first, std::size_t count) {
    const char* const text = batch.name(first).data();  // name, bases, qualities, read by read
    const char* text_end = text;
    ReadsView reads;
    entries_.resize(count);
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = first + r;
      const auto name = batch.name(i);
      const auto bases = batch.bases(i);
      const auto qualities = batch.qualities(i);
      ReadEntry& entry = entries_[r];
      entry = {};
      const std::uint32_t edits = options_.max_edits.of(bases.size());
      entry.name = static_cast<std::uint64_t>(name.data() - text);
      entry.name_length = static_cast<std::uint32_t>(name.size());
      entry.bases = static_cast<std::uint64_t>(bases.data() - text);
      text_end = bases.data() + bases.size();
      if (!qualities.empty()) {
        entry.has_qualities = true;
        entry.qualities = static_cast<std::uint64_t>(qualities.data() - text);
        text_end = qualities.data() + qualities.size();
      }
      if (bases.size() <= edits) {
        entry.too_short = true;
      } else if (bases.size() <= kMaxDeviceRead && edits <= kMaxDeviceEdits) {
        entry.length = static_cast<std::uint32_t>(bases.size());
        entry.max_edits = static_cast<std::uint16_t>(edits);
        reads.longest = std::max(reads.longest, entry.length);
        reads.most_edits = std::max(reads.most_edits, edits);
      }
    }
    reads.count = static_cast<std::uint32_t>(count);
    if (reads.longest == 0) {
      return reads;
    }
    reads.stride = reads.longest / 32 + 2;
    const auto text_size = static_cast<std::uint64_t>(text_end - text);
    char* const device_text = arena_.take<char>(text_size);
    ReadEntry* const device_entries = arena_.take<ReadEntry>(count);
    Block* const strands = arena_.take<Block>(2 * count * reads.stride);
    space_.upload(device_text, text, text_size);
    space_.upload(device_entries, entries_.data(), count);
    reads.text = device_text;
    reads.reads = device_entries;
    reads.strands = strands;
    space_.for_each(2 * count * reads.stride, EncodeStrands{reads, strands});
    return reads;
  }

  template <class Word>
  void run(const ReadsView& reads, std::size_t first, align::AlignmentBatch& out) {
    const EndRuns end_runs = finder_.template find<Word>(reads, arena_, seconds_);
    Stopwatch watch;
    const Loci loci = build_loci(reads, end_runs);
    report<Word>(reads, loci, first, out, watch);
  }

  Loci build_loci(const ReadsView& reads, const EndRuns& end_runs) {
    Loci loci{nullptr, 0, arena_.take<std::uint32_t>(reads.count + 1)};
    loci.loci = arena_.take<std::uint64_t>(end_runs.count);
    const std::size_t mark = arena_.mark();
    if (end_runs.count > 0) {
      const unsigned bits = format_.position_bits + static_cast<unsigned>(std::bit_width(2 * reads.count));
      const auto [keys, values] = space_.sort_pairs(end_runs.keys, end_runs.values, end_runs.count, bits, arena_);
      std::uint64_t* const reach = arena_.take<std::uint64_t>(end_runs.count);
      std::uint32_t* const places = arena_.take<std::uint32_t>(end_runs.count + 1);
      space_.for_each(end_runs.count, FindReach{keys, values, reach});
      space_.inclusive_max(reach, end_runs.count, arena_);
      space_.zero(places + end_runs.count, 1);
      space_.for_each(end_runs.count, MarkHeads{keys, reach, places});
      space_.exclusive_sum(places, end_runs.count + 1, arena_);
      space_.for_each(end_runs.count, BuildLoci{keys, values, reach, places, end_runs.count, format_, loci.loci});
      loci.count = space_.fetch(places + end_runs.count);
    }
    arena_.release(mark);
    space_.for_each(reads.count + 1, FindLociOfReads{loci.loci, loci.count, format_, loci.first});
    return loci;
  }

  template <class Word>
  void report(const ReadsView& reads, Loci loci, std::size_t first, align::AlignmentBatch& out, Stopwatch& watch) {
    const std::uint64_t n = reads.count;
    align::ReadResult* const results = arena_.take<align::ReadResult>(n);
    std::uint64_t* const primaries = arena_.take<std::uint64_t>(n);
    std::uint32_t* const first_record = arena_.take<std::uint32_t>(n + 1);
    space_.zero(first_record + n, 1);
    space_.for_each(n, SelectPrimaries{reads, loci.loci, loci.first, format_, rule_, results, primaries, first_record});
    space_.exclusive_sum(first_record, n + 1, arena_);
    space_.for_each(n, PlaceRecords{first_record, results});
    const std::uint32_t count = space_.fetch(first_record + n);
    std::uint64_t* const records = arena_.take<std::uint64_t>(count);
    space_.for_each(n, PutPrimaries{results, primaries, records});
    if (rule_.report != align::Report::best) {
      const unsigned bits =
          format_.position_bits + 1 + LocusFormat::kDistanceBits + static_cast<unsigned>(std::bit_width(reads.count));
      loci.loci = space_.sort(loci.loci, loci.count, bits, arena_);
      space_.for_each(loci.count, PutSecondaries{loci.loci, loci.first, format_, results, primaries, records});
    }
    const PathsView paths = trace<Word>(reads, records, count);
    write_records(reads, records, count, paths, loci, results, primaries, first, out, watch);
  }

  template <class Word>
  PathsView trace(const ReadsView& reads, const std::uint64_t* records, std::uint32_t count) {
    RecordPath* const paths = arena_.take<RecordPath>(count);
    std::uint32_t* const gapped = arena_.take<std::uint32_t>(std::uint64_t{count} + 1);
    std::uint32_t* const gapped_count = gapped + count;
    space_.zero(gapped_count, 1);
    space_.for_each(count, FindGaps{reference_.view(), reads, records, format_, paths, gapped, gapped_count});
    const std::uint32_t gaps = space_.fetch(gapped_count);
    const std::uint32_t runs_a_record = align::max_runs(reads.most_edits);
    std::uint16_t* const runs = arena_.take<std::uint16_t>(std::uint64_t{gaps} * runs_a_record);
    std::uint16_t* const run_counts = arena_.take<std::uint16_t>(gaps);
    const std::size_t mark = arena_.mark();
    const TraceTask task{records, paths, gapped, runs, run_counts, runs_a_record};
    // Nearly all paths have one gap. The others are tried with more and more gaps, so that rows stay small.
    std::uint32_t* slots = nullptr;
    std::uint32_t left = gaps;
    unsigned fewest = 1;
    for (unsigned levels = 1; left > 0; fewest = levels + 1, levels *= 4) {
      if (fewest > reads.most_edits) {
        throw std::logic_error("a locus has no path; please report this");
      }
      std::uint32_t* const next = arena_.take<std::uint32_t>(std::uint64_t{left} + 1);
      space_.zero(next + left, 1);
      if (levels == 1) {
        trace_with<Word, 1>(reads, task, slots, left, 1, fewest, next);
      } else {
        trace_with<Word, kMaxDeviceEdits>(reads, task, slots, left, std::min(levels, reads.most_edits), fewest, next);
      }
      left = space_.fetch(next + left);
      slots = next;
    }
    arena_.release(mark);
    return {paths, runs, run_counts, runs_a_record};
  }

  // The records with gaps, and where to put their paths.
  struct TraceTask {
    const std::uint64_t* records;
    RecordPath* paths;
    const std::uint32_t* gapped;
    std::uint16_t* runs;
    std::uint16_t* run_counts;
    std::uint32_t runs_a_record;
  };

  // Of the `count` records in `slots` (null: all), those that need more than `levels` gaps are listed in `next`. Its
  // last element is their number.
  template <class Word, unsigned kMost>
  void trace_with(const ReadsView& reads, const TraceTask& task, const std::uint32_t* slots, std::uint32_t count,
                  unsigned levels, unsigned fewest, std::uint32_t* next) {
    const std::size_t mark = arena_.mark();
    // Use at most half of the room for rows: the texts of the records need room, too.
    const std::uint64_t words = std::uint64_t{reads.longest} * match::gap_words(levels);
    const std::uint64_t at_once =
        std::min<std::uint64_t>({count, kTracedAtOnce, arena_.room() / 2 / (words * sizeof(Word))});
    if (at_once == 0) {
      throw OutOfRoom();
    }
    auto* const rows = arena_.take<Word>(at_once * words);
    for (std::uint64_t first = 0; first < count; first += at_once) {
      const std::uint64_t items = std::min<std::uint64_t>(at_once, count - first);
      space_.for_each(items, TraceRecords<Word, kMost>{reference_.view(), reads, task.records, format_, task.gapped,
                                                       slots, first, items, levels, fewest, task.runs_a_record, rows,
                                                       task.paths, task.runs, task.run_counts, next, next + count});
    }
    arena_.release(mark);
  }

  void write_records(const ReadsView& reads, const std::uint64_t* records, std::uint32_t count, const PathsView& paths,
                     const Loci& loci, const align::ReadResult* results, const std::uint64_t* primaries,
                     std::size_t first, align::AlignmentBatch& out, Stopwatch& watch) {
    std::uint32_t* const cigar_begins = arena_.take<std::uint32_t>(std::uint64_t{count} + 1);
    std::uint32_t* const md_begins = arena_.take<std::uint32_t>(std::uint64_t{count} + 1);
    space_.zero(cigar_begins + count, 1);
    space_.zero(md_begins + count, 1);
    space_.for_each(count, MeasureRecords{reference_.view(), reads, records, format_, paths, options_.eqx, cigar_begins,
                                          md_begins});
    space_.exclusive_sum(cigar_begins, std::uint64_t{count} + 1, arena_);
    space_.exclusive_sum(md_begins, std::uint64_t{count} + 1, arena_);
    const std::uint32_t cigar_size = space_.fetch(cigar_begins + count);
    const std::uint32_t md_size = space_.fetch(md_begins + count);
    auto* const alignments = arena_.take<align::Alignment>(count);
    std::uint32_t* const cigar = arena_.take<std::uint32_t>(cigar_size);
    char* const md = arena_.take<char>(md_size);
    auto* const sums = arena_.take<align::QualitySum>(reads.count);
    space_.for_each(count, WriteRecords{reference_.view(), reads, records, format_, paths, options_.eqx, cigar_begins,
                                        md_begins, alignments, cigar, md});
    space_.for_each(reads.count, StartQualities{reference_.view(), reads, results, primaries, format_, paths,
                                                reference_.model(), sums});
    space_.for_each(loci.count, WeighLoci{reference_.view(), reads, loci.loci, format_, results, primaries,
                                          reference_.model(), sums});
    space_.for_each(reads.count, PutQualities{results, sums, reference_.model(), alignments});

    space_.synchronize();
    watch.lap(seconds_.align);
    const std::size_t first_alignment = out.alignments.size();
    const std::size_t first_cigar = out.cigar.size();
    const std::size_t first_md = out.md.size();
    out.alignments.resize(first_alignment + count);
    out.cigar.resize(first_cigar + cigar_size);
    out.md.resize(first_md + md_size);
    space_.download(out.reads.data() + first, results, reads.count);
    space_.download(out.alignments.data() + first_alignment, alignments, count);
    space_.download(out.cigar.data() + first_cigar, cigar, cigar_size);
    space_.download(out.md.data() + first_md, md, md_size);
    watch.lap(seconds_.copy);
    if (first_alignment > 0) {
      for (std::size_t r = 0; r < reads.count; ++r) {
        out.reads[first + r].first += first_alignment;
      }
      for (std::size_t a = first_alignment; a < out.alignments.size(); ++a) {
        out.alignments[a].cigar += first_cigar;
        out.alignments[a].md += first_md;
      }
    }
  }

  // Enough to keep a GPU's threads busy.
  static constexpr std::uint64_t kTracedAtOnce = std::uint64_t{1} << 17;

  DeviceReference<Space>& reference_;
  map::Options options_;
  align::ReportRule rule_;
  Space& space_;
  Arena arena_;
  EndRunFinder<Space> finder_;
  LocusFormat format_;
  std::size_t most_reads_;
  std::size_t reads_at_once_;
  std::vector<ReadEntry> entries_;
  map::StageSeconds seconds_;
};

}  // namespace trawl::gpu
