// A batch of reads through all steps of gpu/map/, in a space (device_space.cuh, or its twin host_space.hpp): seeds,
// candidates, verification, loci, selection, alignment. Only the records come back.
//
//   BatchMapper<Space> mapper(reference, options, space, arena);
//   mapper.map(batch, alignments, left);    // `left`: the reads that the device leaves to the CPU
//
// The reads that are under way together must fit the arena. Where they do not, half of them are tried; a single read
// that does not fit is left to the CPU. So nothing is ever dropped.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/map/align.hpp"
#include "gpu/map/arena.hpp"
#include "gpu/map/candidates.hpp"
#include "gpu/map/choose_seeds.hpp"
#include "gpu/map/device_reference.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/scan.hpp"
#include "gpu/map/select.hpp"
#include "gpu/map/verify.hpp"
#include "map/alignment.hpp"
#include "map/options.hpp"
#include "map/stopwatch.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::gpu {

template <class Space>
class BatchMapper {
 public:
  BatchMapper(DeviceReference<Space>& reference, const map::Options& options, Space& space, const Arena& arena)
      : reference_(reference), options_(options), space_(space), arena_(arena) {
    format_.position_bits = reference.position_bits();
    const unsigned read_bits = std::min(20u, 63 - LocusFormat::kDistanceBits - format_.position_bits);
    most_reads_ = std::size_t{1} << (read_bits - 1);
    reads_at_once_ = most_reads_;
  }

  /// Replaces what `out` held; the results of the reads named in `left` are not filled in. The options must not ask for
  /// matching ambiguous bases.
  void map(const sequence::ReadBatch& batch, map::AlignmentBatch& out, std::vector<std::uint32_t>& left) {
    out.clear();
    out.reads.resize(batch.size());
    left.clear();
    for (std::size_t first = 0; first < batch.size();) {
      const std::size_t count = std::min({batch.size() - first, reads_at_once_, most_reads_});
      try {
        arena_.clear();
        map_range(batch, first, count, out, left);
        first += count;
      } catch (const OutOfRoom&) {
        if (count > 1) {
          reads_at_once_ = count / 2;
        } else {
          left.push_back(static_cast<std::uint32_t>(first++));
        }
      }
    }
    reads_at_once_ = std::min(2 * reads_at_once_, most_reads_);  // the next batch may need less room a read
  }

  /// Seconds spent since they were last taken.
  map::StageSeconds take_seconds() { return std::exchange(seconds_, {}); }

 private:
  struct Pieces {
    std::uint64_t* keys;
    std::uint32_t* values;
    std::uint64_t count;
  };
  struct Loci {
    std::uint64_t* loci;
    std::uint64_t count;
    std::uint32_t* first;  // of a read
  };

  void map_range(const sequence::ReadBatch& batch, std::size_t first, std::size_t count, map::AlignmentBatch& out,
                 std::vector<std::uint32_t>& left) {
    map::Stopwatch watch;
    const ReadsView reads = upload(batch, first, count);
    watch.lap(seconds_.copy);
    if (reads.longest == 0) {
      for (std::size_t r = 0; r < count; ++r) {
        out.reads[first + r].unmapped = map::Unmapped::too_short;
      }
    } else if (max_edits_ <= 15) {
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

  // The reads' text and what is known of each; then both strands encoded.
  ReadsView upload(const sequence::ReadBatch& batch, std::size_t first, std::size_t count) {
    const char* const text = batch.name(first).data();  // name, bases, qualities, read by read
    const char* text_end = text;
    ReadsView reads;
    max_edits_ = 0;
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
        max_edits_ = std::max(max_edits_, edits);
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
  void run(const ReadsView& reads, std::size_t first, map::AlignmentBatch& out) {
    const Pieces pieces = find_pieces<Word>(reads);
    map::Stopwatch watch;
    const Loci loci = build_loci(reads, pieces);
    report<Word>(reads, loci, first, out, watch);
  }

  // The pieces of loci that all parts of the index lead to, and those that a scan finds. They stay at the arena's high
  // end.
  template <class Word>
  Pieces find_pieces(const ReadsView& reads) {
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    std::uint8_t* const marks = arena_.take<std::uint8_t>(strands);  // strands to scan for
    space_.zero(marks, strands);
    std::vector<Pieces> found;
    if (options_.search == map::Search::scan) {
      space_.for_each(strands, MarkAll{reads, marks});
    } else {
      for (std::size_t p = 0; p < reference_.plan().parts; ++p) {
        const std::size_t mark = arena_.mark();
        found.push_back(verify<Word>(reads, reference_.part(p, space_), marks));
        arena_.release(mark);
      }
    }
    found.push_back(scan(reads, marks));
    std::erase_if(found, [](const Pieces& pieces) { return pieces.count == 0; });
    if (found.size() == 1) {
      return found[0];
    }
    Pieces all{nullptr, nullptr, 0};
    for (const Pieces& some : found) {
      all.count += some.count;
    }
    all.keys = arena_.take<std::uint64_t>(all.count);
    all.values = arena_.take<std::uint32_t>(all.count);
    std::uint64_t at = 0;
    for (const Pieces& some : found) {
      space_.copy(all.keys + at, some.keys, some.count);
      space_.copy(all.values + at, some.values, some.count);
      at += some.count;
    }
    return all;
  }

  template <class Word>
  Pieces verify(const ReadsView& reads, const PartView& part, std::uint8_t* marks) {
    map::Stopwatch watch;
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    const std::uint32_t seeds_a_strand = max_edits_ + 1;
    const std::uint64_t seed_count = strands * seeds_a_strand;
    SeedPlan* const plans = arena_.take<SeedPlan>(strands);
    DeviceSeed* const seeds = arena_.take<DeviceSeed>(seed_count);
    std::uint64_t* const ends = arena_.take<std::uint64_t>(seed_count);
    space_.for_each(strands, PlanSeeds{reads, part.q, plans, marks});
    choose_seeds(reads, part, plans, seeds, ends, seeds_a_strand, marks);
    space_.inclusive_sum(ends, seed_count, arena_);
    const std::uint64_t hits = space_.fetch(ends + seed_count - 1);
    if (hits >= ~std::uint32_t{0}) {
      throw OutOfRoom();
    }

    std::uint64_t* const candidates = arena_.take<std::uint64_t>(hits);
    std::uint32_t* const counters = arena_.take<std::uint32_t>(2);
    space_.zero(counters, 2);
    const std::uint64_t tiles = (hits + kHitTile - 1) / kHitTile;
    std::uint64_t* const tile_seeds = arena_.take<std::uint64_t>(tiles + 1);
    space_.for_each(tiles + 1, FindTileSeeds{ends, seed_count, tile_seeds});
    space_.for_each(hits, KeepCandidates{reference_.view(), reads, part, seeds, seeds_a_strand, ends, tile_seeds,
                                         candidates, counters});
    const std::uint32_t kept = space_.fetch(counters);
    watch.lap(seconds_.seed);

    // Nearly every candidate makes at most one piece; where they make more, once more with room for all.
    Pieces pieces{nullptr, nullptr, kept};
    for (std::uint64_t capacity = kept;;) {
      const Arena before = arena_;
      pieces.keys = arena_.take_high<std::uint64_t>(capacity);
      pieces.values = arena_.take_high<std::uint32_t>(capacity);
      space_.for_each(kept, VerifyCandidates<Word>{reference_.view(), reads, candidates,
                                                   PieceOutput{pieces.keys, pieces.values, counters + 1, capacity,
                                                               format_.position_bits}});
      pieces.count = space_.fetch(counters + 1);
      if (pieces.count <= capacity) {
        watch.lap(seconds_.verify);
        return pieces;
      }
      capacity = pieces.count;
      arena_ = before;
      space_.zero(counters + 1, 1);
    }
  }

  // What Myers' algorithm finds for the marked strands in the whole reference.
  Pieces scan(const ReadsView& reads, const std::uint8_t* marks) {
    map::Stopwatch watch;
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    const std::size_t mark = arena_.mark();
    std::uint32_t* const list = arena_.take<std::uint32_t>(strands);
    std::uint32_t* const counters = arena_.take<std::uint32_t>(2);
    space_.zero(counters, 2);
    space_.for_each(strands, ListMarked{marks, list, counters});
    const std::uint32_t marked = space_.fetch(counters);
    Pieces pieces{nullptr, nullptr, 0};
    // Into all the room that later steps can spare; where it is not enough, once more with room for all.
    for (std::uint64_t capacity = arena_.room() / 64; marked > 0;) {
      const std::size_t before = arena_.mark();
      const PieceOutput out{arena_.take<std::uint64_t>(capacity), arena_.take<std::uint32_t>(capacity), counters + 1,
                            capacity, format_.position_bits};
      scan_strands(reads, list, marked, out);
      pieces.count = space_.fetch(counters + 1);
      if (pieces.count <= capacity) {
        pieces.keys = arena_.take_high<std::uint64_t>(pieces.count);
        pieces.values = arena_.take_high<std::uint32_t>(pieces.count);
        space_.copy(pieces.keys, out.keys, pieces.count);
        space_.copy(pieces.values, out.values, pieces.count);
        break;
      }
      capacity = pieces.count;
      space_.zero(counters + 1, 1);
      arena_.release(before);
    }
    arena_.release(mark);
    watch.lap(seconds_.scan);
    return pieces;
  }

  void scan_strands(const ReadsView& reads, const std::uint32_t* list, std::uint32_t marked, const PieceOutput& out) {
    const auto size = static_cast<std::uint64_t>(reference_.view().block_count) * 32;
    // Longer chunks compute less twice; a small reference needs short ones to keep a GPU's threads busy.
    const std::uint32_t length = size < (std::uint64_t{1} << 22) ? 256 : 4096;
    const std::uint64_t chunks = (size + length - 1) / length;
    const auto run = [&](auto blocks) {
      space_.for_each(marked * chunks, ScanStrands<blocks()>{reference_.view(), reads, list, chunks, length, out});
    };
    if (reads.longest <= 64) {
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
                    std::uint64_t* hit_counts, std::uint32_t seeds_a_strand, std::uint8_t* marks) {
    const std::size_t mark = arena_.mark();
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    std::uint32_t* const frequencies = arena_.take<std::uint32_t>(strands * reads.longest);
    std::uint32_t* const rows = arena_.take<std::uint32_t>(2 * strands * (reads.longest + 1));
    std::uint32_t* const improves = arena_.take<std::uint32_t>(strands * seeds_a_strand * (reads.longest / 32 + 1));
    space_.for_each(strands * reads.longest, LookUpFrequencies{reads, part, plans, frequencies});
    space_.for_each(strands, ChooseSeeds{reads, part, plans, frequencies, rows, improves, seeds_a_strand, most_hits(),
                                         marks, seeds, hit_counts});
    arena_.release(mark);
  }

  // Of a strand; with more of them a scan costs less.
  std::uint64_t most_hits() const {
    return options_.search == map::Search::seeds
               ? ~std::uint64_t{0}
               : static_cast<std::uint64_t>(reference_.view().block_count) * 32 / kColumnsPerHit;
  }

  Loci build_loci(const ReadsView& reads, const Pieces& pieces) {
    Loci loci{nullptr, 0, arena_.take<std::uint32_t>(reads.count + 1)};
    loci.loci = arena_.take<std::uint64_t>(pieces.count);
    const std::size_t mark = arena_.mark();
    if (pieces.count > 0) {
      const unsigned bits = format_.position_bits + static_cast<unsigned>(std::bit_width(2 * reads.count));
      const auto [keys, values] = space_.sort_pairs(pieces.keys, pieces.values, pieces.count, bits, arena_);
      std::uint64_t* const reach = arena_.take<std::uint64_t>(pieces.count);
      std::uint32_t* const places = arena_.take<std::uint32_t>(pieces.count + 1);
      space_.for_each(pieces.count, FindReach{keys, values, reach});
      space_.inclusive_max(reach, pieces.count, arena_);
      space_.zero(places + pieces.count, 1);
      space_.for_each(pieces.count, MarkHeads{keys, reach, places});
      space_.exclusive_sum(places, pieces.count + 1, arena_);
      space_.for_each(pieces.count, BuildLoci{keys, values, reach, places, pieces.count, format_, loci.loci});
      loci.count = space_.fetch(places + pieces.count);
    }
    arena_.release(mark);
    space_.for_each(reads.count + 1, FindLociOfReads{loci.loci, loci.count, format_, loci.first});
    return loci;
  }

  template <class Word>
  void report(const ReadsView& reads, Loci loci, std::size_t first, map::AlignmentBatch& out, map::Stopwatch& watch) {
    const std::uint64_t n = reads.count;
    map::ReadResult* const results = arena_.take<map::ReadResult>(n);
    std::uint64_t* const primaries = arena_.take<std::uint64_t>(n);
    std::uint32_t* const first_record = arena_.take<std::uint32_t>(n + 1);
    space_.zero(first_record + n, 1);
    space_.for_each(n, SelectPrimaries{reads, loci.loci, loci.first, format_,
                                       ReportRule{options_.report, options_.strata, options_.max_hits}, results,
                                       primaries, first_record});
    space_.exclusive_sum(first_record, n + 1, arena_);
    space_.for_each(n, PlaceRecords{first_record, results});
    const std::uint32_t count = space_.fetch(first_record + n);
    std::uint64_t* const records = arena_.take<std::uint64_t>(count);
    space_.for_each(n, PutPrimaries{results, primaries, records});
    if (options_.report != map::Report::best) {
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
    const std::uint32_t runs_a_record = max_runs(max_edits_);
    std::uint16_t* const runs = arena_.take<std::uint16_t>(std::uint64_t{gaps} * runs_a_record);
    std::uint16_t* const run_counts = arena_.take<std::uint16_t>(gaps);
    const std::size_t mark = arena_.mark();
    // As many at a time as half the room holds: the records' texts need some too.
    const std::uint64_t row_bytes = reads.longest * sizeof(match::TraceRow<Word>);
    const std::uint64_t at_once = std::min<std::uint64_t>({gaps, kTracedAtOnce, arena_.room() / 2 / row_bytes});
    if (gaps > 0 && at_once == 0) {
      throw OutOfRoom();
    }
    auto* const rows = arena_.take<match::TraceRow<Word>>(at_once * reads.longest);
    for (std::uint64_t g = 0; g < gaps; g += at_once) {
      const std::uint64_t items = std::min<std::uint64_t>(at_once, gaps - g);
      space_.for_each(items, TraceRecords<Word>{reference_.view(), reads, records, format_, gapped, g, items,
                                                runs_a_record, rows, paths, runs, run_counts});
    }
    arena_.release(mark);
    return {paths, runs, run_counts, runs_a_record};
  }

  void write_records(const ReadsView& reads, const std::uint64_t* records, std::uint32_t count, const PathsView& paths,
                     const Loci& loci, const map::ReadResult* results, const std::uint64_t* primaries,
                     std::size_t first, map::AlignmentBatch& out, map::Stopwatch& watch) {
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
    auto* const alignments = arena_.take<map::Alignment>(count);
    std::uint32_t* const cigar = arena_.take<std::uint32_t>(cigar_size);
    char* const md = arena_.take<char>(md_size);
    QualityState* const states = arena_.take<QualityState>(reads.count);
    space_.for_each(count, WriteRecords{reference_.view(), reads, records, format_, paths, options_.eqx, cigar_begins,
                                        md_begins, alignments, cigar, md});
    space_.for_each(reads.count, StartQualities{reference_.view(), reads, results, primaries, format_, paths,
                                                reference_.model(), states});
    space_.for_each(loci.count, WeighLoci{reference_.view(), reads, loci.loci, format_, results, primaries,
                                          reference_.model(), states});
    space_.for_each(reads.count, PutQualities{results, states, reference_.model(), alignments});

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
  // Reference positions whose scan for a strand costs as much as a seed hit (docs/performance.md).
  static constexpr std::uint64_t kColumnsPerHit = 32;

  DeviceReference<Space>& reference_;
  map::Options options_;
  Space& space_;
  Arena arena_;
  LocusFormat format_;
  std::size_t most_reads_;
  std::size_t reads_at_once_;
  std::uint32_t max_edits_ = 0;  // of the reads under way
  std::vector<ReadEntry> entries_;
  map::StageSeconds seconds_;
};

}  // namespace trawl::gpu
