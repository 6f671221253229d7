// From a locus to its record on the device, as align/aligner.hpp has it: start, CIGAR, MD, NM.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/verify.hpp"
#include "match/traceback.hpp"

namespace trawl::gpu {

/// Equal steps of an alignment in a row.
struct Run {
  TRAWL_HOST_DEVICE static std::uint16_t pack(match::Step step, unsigned length) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(step) << 14 | length);
  }
  TRAWL_HOST_DEVICE static match::Step step(std::uint16_t run) { return static_cast<match::Step>(run >> 14); }
  TRAWL_HOST_DEVICE static unsigned length(std::uint16_t run) { return run & 0x3fff; }
};
static_assert(kMaxDeviceRead < (1u << 14));

/// The path of a record: one run over the whole read, or the runs of the record with gaps `gapped`, last run first.
struct RecordPath {
  std::uint64_t start = 0;        // of the first aligned base, in the coordinate space
  std::uint32_t gapped = kNoGap;  // index among the records with gaps

  static constexpr std::uint32_t kNoGap = ~std::uint32_t{0};
};

/// Item i is a record: lists it where it needs a gap.
struct FindGaps {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* records;
  LocusFormat format;
  RecordPath* paths;
  std::uint32_t* gapped;  // records
  std::uint32_t* gapped_count;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t locus = records[i];
    const std::uint64_t r = format.read(locus);
    const std::uint32_t length = reads.reads[r].length;
    const std::uint64_t end = format.end(locus);
    RecordPath path;
    if (fits_without_gap(reference, reads.strand(2 * r + format.reverse(locus)), length, end, format.distance(locus))) {
      path.start = end + 1 - length;
    } else {
      path.gapped = claim(gapped_count);
      gapped[path.gapped] = static_cast<std::uint32_t>(i);
    }
    paths[i] = path;
  }
};

/// Runs that a path of `max_edits` can have.
TRAWL_HOST_DEVICE inline std::uint32_t max_runs(std::uint32_t max_edits) { return 2 * max_edits + 1; }

/// Item i is record gapped[first + i]. `rows`: one for each base of the longest read and item, items side by side.
template <class Word>
struct TraceRecords {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* records;
  LocusFormat format;
  const std::uint32_t* gapped;
  std::uint64_t first;
  std::uint64_t items;
  std::uint32_t runs_a_record;
  match::TraceRow<Word>* rows;
  RecordPath* paths;
  std::uint16_t* runs;  // [record with gaps][runs_a_record], last run first
  std::uint16_t* run_counts;

  // Row i of one item.
  struct Rows {
    match::TraceRow<Word>* first;
    std::uint64_t items;
    TRAWL_HOST_DEVICE match::TraceRow<Word>& operator[](std::uint64_t i) const { return first[i * items]; }
  };

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t g = first + i;
    const std::uint64_t locus = records[gapped[g]];
    const std::uint64_t r = format.read(locus);
    const std::uint32_t length = reads.reads[r].length;
    const unsigned distance = format.distance(locus);
    const std::uint64_t end = format.end(locus);
    const std::int64_t begin = static_cast<std::int64_t>(end) + 1 - static_cast<std::int64_t>(length + distance);
    const auto contig_begin = static_cast<std::int64_t>(reference.contigs[reference.contig_at(end)].offset);
    const Rows all{rows + i, items};
    match::BandState<Word> state;
    for_each_row<Word>(reference, reads.strand(2 * r + format.reverse(locus)), length, begin, state,
                       [&all](std::uint32_t row, const match::BandRow<Word>& cells, Word eq) {
                         all[row] = {static_cast<Word>(cells.d0 & ~eq), cells.up};
                       });
    std::uint16_t* const out = runs + g * runs_a_record;
    unsigned count = 0;
    unsigned run_length = 0;
    match::Step run_step = match::Step::diagonal;
    const std::int64_t offset = match::trace_band(all, length, distance, contig_begin - begin, [&](match::Step step) {
      if (run_length > 0 && step != run_step) {
        out[count++] = Run::pack(run_step, run_length);
        run_length = 0;
      }
      run_step = step;
      ++run_length;
    });
    out[count++] = Run::pack(run_step, run_length);
    run_counts[g] = static_cast<std::uint16_t>(count);
    paths[gapped[g]].start = static_cast<std::uint64_t>(begin + offset);
  }
};

/// The runs of any record, in the order of the read.
struct PathsView {
  const RecordPath* paths = nullptr;
  const std::uint16_t* runs = nullptr;
  const std::uint16_t* run_counts = nullptr;
  std::uint32_t runs_a_record = 0;

  /// Calls visit(step, length) for every run of record i of a read of `length` bases.
  template <class Visit>
  TRAWL_HOST_DEVICE void for_each_run(std::uint64_t i, std::uint32_t length, const Visit& visit) const {
    const std::uint32_t g = paths[i].gapped;
    if (g == RecordPath::kNoGap) {
      visit(match::Step::diagonal, length);
      return;
    }
    for (unsigned k = run_counts[g]; k-- > 0;) {
      const std::uint16_t run = runs[g * std::uint64_t{runs_a_record} + k];
      visit(Run::step(run), Run::length(run));
    }
  }
};

/// Counts what a record's texts need.
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

/// Writes the CIGAR and MD of one record to a sink.
template <class Sink>
struct RecordWriter {
  const ReferenceView& reference;
  const Block* strand;
  bool eqx;
  Sink sink;
  std::uint32_t pending = 0;  // the CIGAR element that may still grow
  std::uint32_t matched = 0;  // bases since the last thing that MD names
  std::uint32_t edits = 0;

  TRAWL_HOST_DEVICE void put(align::CigarOp op, std::uint32_t length) {
    if (length == 0) {
      return;
    }
    if (pending != 0 && (pending & 15u) == static_cast<std::uint32_t>(op)) {
      pending += length << 4;
      return;
    }
    if (pending != 0) {
      sink.element(pending);
    }
    pending = length << 4 | static_cast<std::uint32_t>(op);
  }

  /// Gives the position behind the last aligned base.
  TRAWL_HOST_DEVICE std::uint64_t write(const PathsView& paths, std::uint64_t record, std::uint32_t length) {
    std::uint32_t i = 0;
    std::uint64_t position = paths.paths[record].start;
    paths.for_each_run(record, length, [&](match::Step step, std::uint32_t run) {
      if (step == match::Step::insertion) {
        put(align::CigarOp::insertion, run);
        edits += run;
        i += run;
      } else if (step == match::Step::deletion) {
        put(align::CigarOp::deletion, run);
        edits += run;
        sink.number(matched);
        matched = 0;
        sink.letter('^');
        for (std::uint32_t k = 0; k < run; ++k) {
          sink.letter(reference.letter(position + k));
        }
        position += run;
      } else {
        diagonal(i, position, run);
        i += run;
        position += run;
      }
    });
    sink.number(matched);
    sink.element(pending);
    return position;
  }

 private:
  TRAWL_HOST_DEVICE void diagonal(std::uint32_t first, std::uint64_t position, std::uint32_t run) {
    if (!eqx) {
      put(align::CigarOp::match, run);
    }
    std::uint32_t at = first;
    const std::int64_t diagonal = static_cast<std::int64_t>(position) - first;
    for (std::uint32_t w = first / 32; 32 * w < first + run; ++w) {
      std::uint32_t bits = differences(reference, strand, diagonal, w) & range_bits(first, first + run, w);
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t next = 32 * w + lowest_bit(bits);
        matched += next - at;
        sink.number(matched);
        matched = 0;
        sink.letter(reference.letter(static_cast<std::uint64_t>(diagonal + next)));
        ++edits;
        if (eqx) {
          put(align::CigarOp::equal, next - at);
          put(align::CigarOp::mismatch, 1);
        }
        at = next + 1;
      }
    }
    matched += first + run - at;
    if (eqx) {
      put(align::CigarOp::equal, first + run - at);
    }
  }
};

/// Item i is a record: the room its texts need.
struct MeasureRecords {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* records;
  LocusFormat format;
  PathsView paths;
  bool eqx;
  std::uint32_t* cigar_lengths;
  std::uint32_t* md_lengths;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t locus = records[i];
    const std::uint64_t r = format.read(locus);
    RecordWriter<CountingSink> writer{reference, reads.strand(2 * r + format.reverse(locus)), eqx, {}};
    writer.write(paths, i, reads.reads[r].length);
    cigar_lengths[i] = writer.sink.cigar;
    md_lengths[i] = writer.sink.md;
  }
};

/// Item i is a record: writes it.
struct WriteRecords {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* records;
  LocusFormat format;
  PathsView paths;
  bool eqx;
  const std::uint32_t* cigar_begins;
  const std::uint32_t* md_begins;
  align::Alignment* alignments;
  std::uint32_t* cigar;
  char* md;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t locus = records[i];
    const std::uint64_t r = format.read(locus);
    const std::uint64_t start = paths.paths[i].start;
    RecordWriter<WritingSink> writer{
        reference, reads.strand(2 * r + format.reverse(locus)), eqx, {cigar + cigar_begins[i], md + md_begins[i]}};
    const std::uint64_t behind = writer.write(paths, i, reads.reads[r].length);
    align::Alignment alignment;
    alignment.contig = reference.contig_at(format.end(locus));
    alignment.start = start - reference.contigs[alignment.contig].offset;
    alignment.span = static_cast<std::uint32_t>(behind - start);
    alignment.cigar = cigar_begins[i];
    alignment.cigar_length = static_cast<std::uint32_t>(writer.sink.cigar - (cigar + cigar_begins[i]));
    alignment.md = md_begins[i];
    alignment.md_length = static_cast<std::uint32_t>(writer.sink.md - (md + md_begins[i]));
    alignment.distance = static_cast<std::uint16_t>(format.distance(locus));
    alignment.edits = writer.edits;
    alignment.reverse = format.reverse(locus);
    alignments[i] = alignment;
  }
};

/// Item r is a read: what its mapping quality starts from.
struct StartQualities {
  ReferenceView reference;
  ReadsView reads;
  const align::ReadResult* results;
  const std::uint64_t* primaries;
  LocusFormat format;
  PathsView paths;
  const align::MapqModel* model;
  QualityState* states;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    if (results[r].count == 0 || results[r].best_count != 1) {
      return;
    }
    const ReadEntry& read = reads.reads[r];
    const bool reverse = format.reverse(primaries[r]);
    const Block* strand = reads.strand(2 * r + reverse);
    const std::uint64_t record = results[r].first;
    std::uint64_t cost = 0;
    std::uint32_t i = 0;
    std::uint64_t position = paths.paths[record].start;
    paths.for_each_run(record, read.length, [&](match::Step step, std::uint32_t run) {
      if (step == match::Step::diagonal) {
        cost += mismatch_costs(reference, reads, read, strand, reverse, static_cast<std::int64_t>(position) - i, i,
                               i + run, *model);
      } else {
        cost += std::uint64_t{run} * align::MapqModel::kGapCost;
      }
      i += step == match::Step::deletion ? 0 : run;
      position += step == match::Step::insertion ? 0 : run;
    });
    QualityState state;
    state.cost = static_cast<std::int64_t>(cost);
    state.average = average_cost(reads, read, *model);
    state.others = model->weight(static_cast<std::int64_t>((read.max_edits + 1u) * state.average) - state.cost);
    states[r] = state;
  }
};

}  // namespace trawl::gpu
