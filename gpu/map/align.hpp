// Makes the record of a locus on the device, by the rules of align/: start, CIGAR, MD, NM.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/locus_path.hpp"
#include "align/record_writer.hpp"
#include "gpu/map/end_runs.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "match/fewest_gaps.hpp"

namespace trawl::gpu {

/// Consecutive equal steps of an alignment.
struct PackedRun {
  TRAWL_HOST_DEVICE static std::uint16_t pack(match::Step step, unsigned length) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(step) << 14 | length);
  }
  TRAWL_HOST_DEVICE static match::Step step(std::uint16_t run) { return static_cast<match::Step>(run >> 14); }
  TRAWL_HOST_DEVICE static unsigned length(std::uint16_t run) { return run & 0x3fff; }
};
static_assert(kMaxDeviceRead < (1u << 14));

/// The path of a record. Without gaps it is one run over the whole read. With gaps it is the runs of number `gapped`
/// among the records with gaps; the last run comes first.
struct RecordPath {
  std::uint64_t start = 0;        // position of the first aligned base, in the coordinate space
  std::uint32_t gapped = kNoGap;  // index among the records with gaps

  static constexpr std::uint32_t kNoGap = ~std::uint32_t{0};
};

/// Which ends the paths of records may have.
struct LastEnds {
  bool limited = false;          // false: all ends of their runs
  bool only_placements = false;  // only placements are limited to their spread

  TRAWL_HOST_DEVICE std::int64_t of(const BatchView& view, std::uint64_t locus) const {
    if (!limited) {
      return INT64_MAX;
    }
    const std::uint64_t r = view.format.read(locus);
    const std::uint32_t first = view.loci.first[r];
    const std::uint64_t* const own = view.loci.loci + first;
    const LocusFormat f = view.format;
    const auto place = [f](std::uint64_t l) {
      return static_cast<std::uint64_t>(f.reverse(l)) << f.position_bits | f.end(l);
    };
    const std::uint64_t at = first_where(
        view.loci.first[r + 1] - first, [own, place, locus](std::uint64_t l) { return place(own[l]) >= place(locus); });
    const std::uint32_t spread = view.loci.spreads[first + at];
    return only_placements && !Spread::is_placement(spread)
               ? INT64_MAX
               : static_cast<std::int64_t>(f.end(locus) + Spread::ends(spread));
  }
};

/// Item i is a record. Lists the record if no alignment without a gap fits at an end that surely belongs to its locus.
struct FindGaps {
  BatchView view;
  LastEnds last_ends;
  const std::uint64_t* records;
  RecordPath* paths;
  std::uint32_t* gapped;  // records
  std::uint32_t* gapped_count;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t locus = records[i];
    const ReadEntry& read = view.read_of(locus);
    const unsigned distance = view.format.distance(locus);
    const std::uint64_t first_end = view.format.end(locus);
    const DeviceComparison comparison = view.comparison(locus);
    RecordPath path;
    ContigSpan contig;
    const auto contig_begin = [&] {
      if (contig.length == 0) {
        contig = view.reference.contigs[view.reference.contig_at(first_end)];
      }
      return contig.offset;
    };
    // From one end to the next the distance grows by at most one, so all these ends are within e.
    std::int64_t last_end = -1;
    for (std::uint64_t end = first_end; end <= first_end + (read.allowed_edits - distance); ++end) {
      last_end = end == first_end + 1 ? last_ends.of(view, locus) : last_end;
      if (end > first_end && (end >= contig_begin() + contig.length || static_cast<std::int64_t>(end) > last_end)) {
        break;
      }
      if (align::fits_without_gap(comparison, read.length, static_cast<std::int64_t>(end), distance, contig_begin)) {
        path.start = end + 1 - read.length;
        paths[i] = path;
        return;
      }
    }
    path.gapped = claim(gapped_count);
    gapped[path.gapped] = static_cast<std::uint32_t>(i);
    paths[i] = path;
  }
};

/// The records with gaps, and where to put their paths.
struct TraceTask {
  BatchView view;
  LastEnds last_ends;
  const std::uint64_t* records;
  RecordPath* paths;
  const std::uint32_t* gapped;
  std::uint16_t* runs;  // [record with gaps][runs_a_record], last run first
  std::uint16_t* run_counts;
  std::uint32_t runs_a_record;
};

/// Item i is a record with gaps: gapped[slot] with slot = slots[first + i], or first + i if `slots` is null. Records
/// whose paths need more than `levels` gaps are listed in `left`; levels <= kMost. `rows`: for each item
/// match::gap_words(levels) words per base of the longest read; words of neighbouring items are neighbours.
template <class Word, unsigned kMost>
struct TraceRecords {
  TraceTask task;
  const std::uint32_t* slots;
  std::uint64_t first;
  std::uint64_t items;
  unsigned levels;
  unsigned fewest;  // each path is known to have at least this many gaps
  Word* rows;
  std::uint32_t* left;
  std::uint32_t* left_count;

  struct Rows {
    Word* words;
    std::uint64_t items;
    unsigned stride;
    TRAWL_HOST_DEVICE Word word(std::uint32_t row, unsigned k) const {
      return words[(std::uint64_t{row} * stride + k) * items];
    }
    TRAWL_HOST_DEVICE void put(std::uint32_t row, unsigned k, Word value) const {
      words[(std::uint64_t{row} * stride + k) * items] = value;
    }
  };

  struct Runs {
    std::uint16_t* runs;
    std::uint32_t count = 0;
    TRAWL_HOST_DEVICE void clear() { count = 0; }
    TRAWL_HOST_DEVICE void push(match::Step step, std::uint32_t length) {
      runs[count++] = PackedRun::pack(step, length);
    }
    TRAWL_HOST_DEVICE std::uint32_t size() const { return count; }
    TRAWL_HOST_DEVICE match::Step step(std::uint32_t k) const { return PackedRun::step(runs[k]); }
    TRAWL_HOST_DEVICE std::uint32_t length(std::uint32_t k) const { return PackedRun::length(runs[k]); }
  };

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const BatchView& view = task.view;
    const std::uint64_t slot = slots == nullptr ? first + i : slots[first + i];
    const std::uint64_t locus = task.records[task.gapped[slot]];
    const std::uint64_t end = view.format.end(locus);
    const ContigSpan contig = view.reference.contigs[view.reference.contig_at(end)];
    align::PathProblem problem;
    problem.length = view.read_of(locus).length;
    problem.max_edits = view.read_of(locus).allowed_edits;
    problem.distance = view.format.distance(locus);
    problem.first_end = static_cast<std::int64_t>(end);
    problem.contig_begin = static_cast<std::int64_t>(contig.offset);
    problem.contig_end = static_cast<std::int64_t>(contig.offset + contig.length);
    problem.last_end = task.last_ends.of(view, locus);
    const SetBand<Word> band{view.reference, view.reads.strand(view.strand_of(locus)),
                             view.reads.sets_of(view.strand_of(locus)), problem.length};
    Runs found{task.runs + slot * task.runs_a_record};
    align::PathFinder<Word, kMost, SetBand<Word>, Rows, Runs> finder(
        problem, band, {rows + i, items, match::gap_words(levels)}, found);
    std::int64_t start = 0;
    if (finder.find(levels, fewest, start)) {
      task.run_counts[slot] = static_cast<std::uint16_t>(found.count);
      task.paths[task.gapped[slot]].start = static_cast<std::uint64_t>(start);
    } else {
      left[claim(left_count)] = static_cast<std::uint32_t>(slot);
    }
  }
};

/// The runs of any record, in the order of the read.
struct PathsView {
  const RecordPath* paths = nullptr;
  const std::uint16_t* runs = nullptr;
  const std::uint16_t* run_counts = nullptr;
  std::uint32_t runs_a_record = 0;

  /// Calls visit(step, length) for every run of record i; its read has `length` bases.
  template <class Visit>
  TRAWL_HOST_DEVICE void for_each_run(std::uint64_t i, std::uint32_t length, const Visit& visit) const {
    const std::uint32_t g = paths[i].gapped;
    if (g == RecordPath::kNoGap) {
      visit(match::Step::diagonal, length);
      return;
    }
    for (unsigned k = run_counts[g]; k-- > 0;) {
      const std::uint16_t run = runs[g * std::uint64_t{runs_a_record} + k];
      visit(PackedRun::step(run), PackedRun::length(run));
    }
  }
};

/// What the alignment of a record costs, and where it ends.
struct MeasuredPath {
  std::uint64_t cost;
  std::uint64_t end;
};

/// `locus`: that of record i.
TRAWL_HOST_DEVICE inline MeasuredPath path_cost(const BatchView& view, const PathsView& paths, std::uint64_t locus,
                                                std::uint64_t i) {
  const DeviceComparison comparison = view.comparison(locus);
  align::PathCost<DeviceComparison> cost{*view.model, comparison, view.qualities(locus), paths.paths[i].start};
  paths.for_each_run(i, view.read_of(locus).length,
                     [&cost](match::Step step, std::uint32_t run) { cost.add(step, run); });
  return {cost.cost, cost.position};
}

/// Counts the bytes that the texts of a record need.
struct CountingSink {
  std::uint32_t cigar = 0;
  std::uint32_t md = 0;

  TRAWL_HOST_DEVICE void element(std::uint32_t) { ++cigar; }
  TRAWL_HOST_DEVICE void letter(char) { ++md; }
  TRAWL_HOST_DEVICE void number(std::uint32_t n) {
    do {
      ++md;
      n /= 10;
    } while (n > 0);
  }
};

struct WritingSink {
  std::uint32_t* cigar;
  char* md;

  TRAWL_HOST_DEVICE void element(std::uint32_t e) { *cigar++ = e; }
  TRAWL_HOST_DEVICE void letter(char c) { *md++ = c; }
  TRAWL_HOST_DEVICE void number(std::uint32_t n) {
    std::uint32_t unit = 1;
    while (n / unit >= 10) {
      unit *= 10;
    }
    for (; unit > 0; unit /= 10) {
      letter(static_cast<char>('0' + n / unit % 10));
    }
  }
};

struct WrittenRecord {
  std::uint32_t edits;
  std::uint64_t end;  // of its alignment
};

/// Writes the texts of record i to a sink.
template <class Sink>
TRAWL_HOST_DEVICE WrittenRecord write_record(const BatchView& view, const PathsView& paths,
                                             const std::uint64_t* records, bool eqx, std::uint64_t i, Sink& sink) {
  const DeviceComparison comparison = view.plain_comparison(records[i]);
  align::RecordWriter<DeviceComparison, Sink> writer(comparison, eqx, paths.paths[i].start, sink);
  paths.for_each_run(i, view.read_of(records[i]).length,
                     [&writer](match::Step step, std::uint32_t run) { writer.add(step, run); });
  writer.finish();
  return {writer.edits(), writer.position()};
}

/// Item i is a record: computes how much room its texts need.
struct MeasureRecords {
  BatchView view;
  PathsView paths;
  const std::uint64_t* records;
  bool eqx;
  std::uint32_t* cigar_lengths;
  std::uint32_t* md_lengths;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    CountingSink sink;
    write_record(view, paths, records, eqx, i, sink);
    cigar_lengths[i] = sink.cigar;
    md_lengths[i] = sink.md;
  }
};

/// Item i is a record: writes its texts and values.
struct WriteRecords {
  BatchView view;
  PathsView paths;
  const std::uint64_t* records;
  bool eqx;
  const std::uint32_t* cigar_begins;
  const std::uint32_t* md_begins;
  align::Alignment* alignments;
  std::uint32_t* cigar;
  char* md;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t locus = records[i];
    const std::uint64_t start = paths.paths[i].start;
    WritingSink sink{cigar + cigar_begins[i], md + md_begins[i]};
    const WrittenRecord written = write_record(view, paths, records, eqx, i, sink);
    align::Alignment alignment;
    alignment.contig = view.reference.contig_at(view.format.end(locus));
    alignment.start = start - view.reference.contigs[alignment.contig].offset;
    alignment.span = static_cast<std::uint32_t>(written.end - start);
    alignment.cigar = cigar_begins[i];
    alignment.cigar_length = static_cast<std::uint32_t>(sink.cigar - (cigar + cigar_begins[i]));
    alignment.md = md_begins[i];
    alignment.md_length = static_cast<std::uint32_t>(sink.md - (md + md_begins[i]));
    alignment.distance = static_cast<std::uint16_t>(view.format.distance(locus));
    alignment.score = -static_cast<std::int32_t>(view.format.distance(locus));
    alignment.edits = written.edits;
    alignment.reverse = view.format.reverse(locus);
    alignments[i] = alignment;
  }
};

}  // namespace trawl::gpu
