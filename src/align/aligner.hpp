// From a locus to its alignment: start, CIGAR, MD, NM.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "align/alignment.hpp"
#include "align/locus.hpp"
#include "align/mapq.hpp"
#include "match/traceback.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::align {

/// Consecutive steps of one kind.
struct AlignedRun {
  match::Step step;
  std::uint32_t length;
};

class Aligner {
 public:
  Aligner(const sequence::Reference& reference, bool ambiguous_matches, bool eqx)
      : reference_(reference), ambiguous_matches_(ambiguous_matches), eqx_(eqx) {}

  /// Asks for the reference at loci that will be aligned or whose cost will be asked.
  void prefetch(std::span<const Locus> loci, const sequence::EncodedRead& read) const;

  /// Aligns `read`, the strand that `locus` lies on, to the best of the locus' alignments: the gaps left-aligned, no
  /// gap where none is needed. Its CIGAR and MD are appended to `out`. `mapq` is left 0.
  Alignment align(const Locus& locus, const sequence::EncodedRead& read, AlignmentBatch& out);

  /// The record of an alignment found elsewhere: `runs` from its first step to its last, from reference position
  /// `position` on. `locus` gives its distance and strand.
  Alignment describe(const Locus& locus, const sequence::EncodedRead& read, std::uint64_t position,
                     std::span<const AlignedRun> runs, AlignmentBatch& out);

  /// The Phred cost of a locus' edits. `qualities` are Phred+33 in the order of the read's strand, or empty. Exact for
  /// the locus aligned (`alignment`, of align()); see cost_of() for others.
  std::uint64_t cost_of(const Alignment& alignment, const sequence::EncodedRead& read, std::string_view qualities,
                        const AlignmentBatch& batch, const MapqModel& model) const;
  /// The same for a locus not aligned: exact where the alignment has no gap, otherwise its distance times
  /// `average_cost`.
  std::uint64_t cost_of(const Locus& locus, const sequence::EncodedRead& read, std::string_view qualities,
                        std::uint64_t average_cost, const MapqModel& model) const;

 private:
  // Bit k: base i + k of the read differs from reference position `position` + k, or either is ambiguous; up to
  // `length` <= 64 bits.
  std::uint64_t differences(const sequence::EncodedRead& read, std::size_t i, std::uint64_t position,
                            std::size_t length) const;
  bool fits_without_gap(const Locus& locus, const sequence::EncodedRead& read) const;
  std::uint64_t mismatch_costs(const sequence::EncodedRead& read, std::size_t i, std::uint64_t position,
                               std::size_t length, std::string_view qualities, const MapqModel& model) const;
  // Fills runs_, last step first; returns the position of the first aligned base.
  std::uint64_t trace(const Locus& locus, const sequence::EncodedRead& read, std::uint64_t contig_begin);
  std::uint64_t trace_wide(const Locus& locus, const sequence::EncodedRead& read, std::uint64_t contig_begin);
  void write_runs(const sequence::EncodedRead& read, std::span<const AlignedRun> runs, Alignment& alignment,
                  std::uint64_t position, AlignmentBatch& out);
  void put(AlignmentBatch& out, std::size_t first, CigarOp op, std::uint32_t length) const;

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  bool eqx_;
  sequence::TextWindow text_;
  std::vector<match::TraceRow<std::uint64_t>> rows_;
  std::vector<std::uint16_t> cells_;
  std::vector<AlignedRun> runs_;  // in the order of the read after trace()
};

}  // namespace trawl::align
