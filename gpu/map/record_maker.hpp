// Takes loci on the device to their records: first their paths, then CIGAR, MD and NM, then the copy to the host.
//
//   DeviceRecordMaker<Space> maker(work, view, last_ends);
//   const PathsView paths = maker.template trace<Word>(records, count);    // records[i]: a locus
//   const DeviceRecords made = maker.write(records, count, paths);
//   maker.download(made, batch);
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "align/alignment.hpp"
#include "align/locus_path.hpp"
#include "gpu/device/arena.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"

namespace trawl::gpu {

/// Records in the memory of the device.
struct DeviceRecords {
  align::Alignment* alignments = nullptr;
  std::uint32_t* cigar = nullptr;
  char* md = nullptr;
  std::uint32_t count = 0;
  std::uint32_t cigar_size = 0;
  std::uint32_t md_size = 0;
};

template <class Space>
class DeviceRecordMaker {
 public:
  DeviceRecordMaker(DeviceWork<Space>& work, const BatchView& view, const LastEnds& last_ends)
      : work_(work), space_(work.space), arena_(work.arena), view_(view), last_ends_(last_ends) {}

  /// The paths of `count` loci. A band is as wide as Word has bits.
  template <class Word>
  PathsView trace(const std::uint64_t* records, std::uint32_t count) {
    RecordPath* const paths = arena_.take<RecordPath>(count);
    std::uint32_t* const gapped = arena_.take<std::uint32_t>(std::uint64_t{count} + 1);
    std::uint32_t* const gapped_count = gapped + count;
    space_.zero(gapped_count, 1);
    space_.for_each(count, FindGaps{view_, last_ends_, records, paths, gapped, gapped_count});
    const std::uint32_t gaps = space_.fetch(gapped_count);
    const std::uint32_t runs_a_record = align::max_runs(view_.reads.most_allowed);
    std::uint16_t* const runs = arena_.take<std::uint16_t>(std::uint64_t{gaps} * runs_a_record);
    std::uint16_t* const run_counts = arena_.take<std::uint16_t>(gaps);
    const std::size_t mark = arena_.mark();
    const TraceTask task{view_, last_ends_, records, paths, gapped, runs, run_counts, runs_a_record};
    // Nearly all paths have one gap. The others are tried with more and more gaps, so that rows stay small.
    std::uint32_t* slots = nullptr;
    std::uint32_t left = gaps;
    unsigned fewest = 1;
    for (unsigned levels = 1; left > 0; fewest = levels + 1, levels *= 4) {
      if (fewest > view_.reads.most_allowed) {
        throw std::logic_error("a locus has no path; please report this");
      }
      std::uint32_t* const next = arena_.take<std::uint32_t>(std::uint64_t{left} + 1);
      space_.zero(next + left, 1);
      if (levels == 1) {
        trace_with<Word, 1>(task, slots, left, 1, fewest, next);
      } else {
        trace_with<Word, kMaxDeviceEdits>(task, slots, left, std::min(levels, view_.reads.most_allowed), fewest, next);
      }
      left = space_.fetch(next + left);
      slots = next;
    }
    arena_.release(mark);
    return {paths, runs, run_counts, runs_a_record};
  }

  /// The records of `count` loci with these paths.
  DeviceRecords write(const std::uint64_t* records, std::uint32_t count, const PathsView& paths) {
    std::uint32_t* const cigar_begins = arena_.take<std::uint32_t>(std::uint64_t{count} + 1);
    std::uint32_t* const md_begins = arena_.take<std::uint32_t>(std::uint64_t{count} + 1);
    const bool eqx = work_.options.eqx;
    space_.for_each(count, MeasureRecords{view_, paths, records, eqx, cigar_begins, md_begins});
    DeviceRecords made;
    made.count = count;
    made.cigar_size = work_.sum_up(cigar_begins, count);
    made.md_size = work_.sum_up(md_begins, count);
    made.alignments = arena_.take<align::Alignment>(count);
    made.cigar = arena_.take<std::uint32_t>(made.cigar_size);
    made.md = arena_.take<char>(made.md_size);
    space_.for_each(
        count, WriteRecords{view_, paths, records, eqx, cigar_begins, md_begins, made.alignments, made.cigar, made.md});
    return made;
  }

  /// Appends the records to `out`. Returns the index of the first of them.
  std::size_t download(const DeviceRecords& made, align::AlignmentBatch& out) {
    const std::size_t first_alignment = out.alignments.size();
    const std::size_t first_cigar = out.cigar.size();
    const std::size_t first_md = out.md.size();
    out.alignments.resize(first_alignment + made.count);
    out.cigar.resize(first_cigar + made.cigar_size);
    out.md.resize(first_md + made.md_size);
    space_.download(out.alignments.data() + first_alignment, made.alignments, made.count);
    space_.download(out.cigar.data() + first_cigar, made.cigar, made.cigar_size);
    space_.download(out.md.data() + first_md, made.md, made.md_size);
    for (std::size_t a = first_alignment; a < out.alignments.size(); ++a) {
      out.alignments[a].cigar += first_cigar;
      out.alignments[a].md += first_md;
    }
    return first_alignment;
  }

 private:
  // Traces the `count` records in `slots` (null: all), and lists those that need more than `levels` gaps in `next`. Its
  // last element is their number.
  template <class Word, unsigned kMost>
  void trace_with(const TraceTask& task, const std::uint32_t* slots, std::uint32_t count, unsigned levels,
                  unsigned fewest, std::uint32_t* next) {
    const std::size_t mark = arena_.mark();
    // Use at most half of the room for rows: the texts of the records need room, too.
    const std::uint64_t words = std::uint64_t{view_.reads.longest} * match::gap_words(levels);
    const std::uint64_t at_once =
        std::min<std::uint64_t>({count, kTracedAtOnce, arena_.room() / 2 / (words * sizeof(Word))});
    if (at_once == 0) {
      throw OutOfRoom();
    }
    auto* const rows = arena_.take<Word>(at_once * words);
    for (std::uint64_t first = 0; first < count; first += at_once) {
      const std::uint64_t items = std::min<std::uint64_t>(at_once, count - first);
      space_.for_each(items,
                      TraceRecords<Word, kMost>{task, slots, first, items, levels, fewest, rows, next, next + count});
    }
    arena_.release(mark);
  }

  // Enough to keep a GPU's threads busy.
  static constexpr std::uint64_t kTracedAtOnce = std::uint64_t{1} << 17;

  DeviceWork<Space>& work_;
  Space& space_;
  Arena& arena_;
  BatchView view_;
  LastEnds last_ends_;
};

}  // namespace trawl::gpu
