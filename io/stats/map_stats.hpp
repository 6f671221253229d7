// Statistics of a `trawl map` run, for `--stats FILE.json` and the summary.
//
//   with: const sequence::ReadBatch& batch, const align::AlignmentBatch& alignments
//   RunStats stats;
//   stats.add(batch, alignments);              // in the output stage, once per batch
//   stats.seconds["read"] += 0.25;
//   write_stats_text(stats_json(stats), "run.json");
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "align/alignment.hpp"
#include "align/damage.hpp"
#include "align/insert_estimate.hpp"
#include "align/pair_rule.hpp"
#include "io/stats/command_stats.hpp"
#include "io/stats/histogram.hpp"
#include "io/write/alignment_sink.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

/// Counts of pairs; `total` is 0 for single reads.
struct PairCounts {
  std::uint64_t total = 0;
  std::uint64_t concordant = 0;
  std::uint64_t discordant = 0;
  std::uint64_t one_end = 0;
  std::uint64_t unmapped = 0;
  std::uint64_t discordant_mates = 0;  // unmapped in the output because of --discordant never
  std::uint64_t near_mates = 0;        // mates that were found near their mates only
  // Why the primary records of discordant pairs are not concordant: the first of these that is true.
  std::uint64_t on_two_contigs = 0;
  std::uint64_t turned = 0;                                 // strands or order are not those of `orientation`
  std::uint64_t other_sizes = 0;                            // an insert size that is not allowed
  align::Orientation orientation = align::Orientation::fr;  // given, not counted
  Histogram inserts;                                        // of the primary concordant pairs

  /// Those that are counted.
  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.total, self.concordant, self.discordant, self.one_end, self.unmapped, self.discordant_mates,
                    self.near_mates, self.on_two_contigs, self.turned, self.other_sizes, self.inserts);
  }
};

/// Counts of clipped ends. All are 0 if reads are mapped end to end.
struct ClipCounts {
  std::uint64_t reads = 0;                  // whose primary record leaves out bases
  std::uint64_t bases = 0;                  // left out by these records, also those of the other pieces
  std::uint64_t supplementary_records = 0;  // other pieces of split reads
  std::uint64_t found_by_anchors = 0;       // reads placed where words of them match
  CountBins reads_by_bases;                 // the bases that the primary record of a clipped read leaves out

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.reads, self.bases, self.supplementary_records, self.found_by_anchors, self.reads_by_bases);
  }
};

/// Reads that the given limits do not fit, for hints at the end of a run.
struct LimitCounts {
  /// Reads to which -e allows more edits than are possible. They get as many as are possible.
  struct FewerEdits {
    std::uint64_t count = 0;
    std::uint64_t batch = 0;  // of the first one in the input
    std::string first;        // its name and length: "'m64/1/ccs' of 9000 bases"

    template <class Self>
    static auto members(Self& self) {
      return std::tie(self.count, self.batch, self.first);
    }
  };

  std::uint64_t clip_limited = 0;        // reads that are at most twice as long as the number given with --clip
  std::uint64_t many_edits = 0;          // reads whose allowed edits are more than a quarter of their length
  std::uint64_t many_ambiguous = 0;      // unmapped reads with more ambiguous bases than edits
  std::uint64_t longer_than_circle = 0;  // reads that are longer than map::MapOptions::shortest_circle
  // Of the first batch: reads with qualities that seem to be Phred+64, and reads whose qualities cannot be.
  std::uint64_t phred64 = 0;
  std::uint64_t phred33 = 0;
  FewerEdits edits_limited;

  LimitCounts& operator+=(const LimitCounts& other);

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.clip_limited, self.many_edits, self.many_ambiguous, self.longer_than_circle, self.phred64,
                    self.phred33, self.edits_limited);
  }
};

/// How many equal reads a read stands for, by its name; otherwise 1.
///   reads_of("seq_7_x123") == 123      // mapper.pl of miRDeep2
///   reads_of("7-123") == 123           // fastx_collapser
std::uint64_t reads_of(std::string_view name);

/// Counts of reads and alignments. A mate is mapped if it has a record of its own or in a concordant pair.
struct RunCounts {
  bool collapsed = false;       // given, not counted: a read counts as often as reads_of() its name says
  std::uint64_t sequences = 0;  // reads of the input, each once
  std::uint64_t records = 0;    // their alignments, each once
  std::uint64_t reads = 0;
  std::uint64_t read_bases = 0;
  std::uint64_t mapped = 0;
  std::uint64_t unmapped_no_locus = 0;
  std::uint64_t unmapped_too_short = 0;
  std::uint64_t unmapped_many_loci = 0;  // more than --max-loci
  std::uint64_t one_of_many_loci = 0;    // mapped, with --max-loci N,one
  std::uint64_t alignments = 0;  // records of mapped reads, with the secondary ones, without the supplementary ones
  std::uint64_t dropped = 0;     // records left out by --max-hits
  std::uint64_t reads_with_dropped = 0;
  std::vector<std::uint64_t> primary_by_distance;  // index: edit distance
  std::vector<std::uint64_t> all_by_distance;
  std::vector<std::uint64_t> primary_by_mapq;  // index: mapping quality
  CountBins primary_by_longest_gap;            // bases of the longest insertion or deletion
  CountBins reads_by_best_loci;                // loci in the best stratum of the read itself (SAM: X0)
  std::uint64_t reads_of_unknown_loci = 0;     // found near their mates or by words only, so without X0
  PairCounts pairs;
  ClipCounts clipped;
  align::DamageCounts damage;  // of primary records, with --damage

  std::uint64_t weight(std::string_view name) const { return collapsed ? reads_of(name) : 1; }

  /// Counts the reads and alignments of a batch.
  void add(const sequence::ReadBatch& batch, const align::AlignmentBatch& results);

  /// Both must have the same bins.
  RunCounts& operator+=(const RunCounts& other) {
    add_members(*this, other);
    return *this;
  }

  /// Each read is in one of these classes: those of reads_by_best_loci, and "unknown".
  std::vector<CountBins::Bin> bins_of_best_loci() const;

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.sequences, self.records, self.reads, self.read_bases, self.mapped, self.unmapped_no_locus,
                    self.unmapped_too_short, self.unmapped_many_loci, self.one_of_many_loci, self.alignments,
                    self.dropped, self.reads_with_dropped, self.primary_by_distance, self.all_by_distance,
                    self.primary_by_mapq, self.primary_by_longest_gap, self.reads_by_best_loci,
                    self.reads_of_unknown_loci, self.pairs, self.clipped, self.damage);
  }
};

/// The insert sizes that are concordant, and where they come from.
struct InsertStats {
  std::string source;  // "estimated" from the first pairs, "given" by the user, or the "default"; empty without pairs
  align::InsertModel model;
  align::InsertModel estimate;            // also if the sizes are given by the user; deviation 0: none
  align::OrientationCounts orientations;  // of the pairs examined
  std::uint64_t pairs_examined = 0;       // the first pairs of the input
  std::uint64_t pairs_used = 0;           // those of them from whose sizes mean and deviation are estimated
  Histogram histogram;                    // of these sizes
};

/// With --damage.
struct DamageStats {
  std::string source;  // "estimated" from the first reads, "given" by the user, or "default": too few reads
  align::DamageRates rates;
  std::uint64_t reads_examined = 0;
  std::uint64_t reads_used = 0;  // those of them with one certain place
};

struct RunStats : CommandStats, RunCounts {
  std::optional<SortStats> sort;  // with --sort
  InsertStats insert;
  DamageStats damage_rates;
  LimitCounts limits;
};

/// The text of the JSON file: keys in a fixed order, indented by two spaces.
std::string stats_json(const RunStats& stats);

}  // namespace trawl::io
