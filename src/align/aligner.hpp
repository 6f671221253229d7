// From a locus to the alignment of its record, on the host: start, CIGAR, MD, NM, and the cost of its edits.
//
//   with: const sequence::Reference reference = reference_of("TTACGTACGTTT")
//   with: const sequence::EncodedRead read = read_of("ACGTACGA")
//   Aligner aligner(reference, false, false);
//   const Locus locus{.end = sequence::kContigGap + 8, .distance = 1, .spread = 1};     // it ends at letter 8 or 9
//   const AlignedPath& path = aligner.find_path(locus, read, 1);
//   path.runs[0].length == 8                                           // 8M, and not 7M1I
//   AlignmentBatch batch;
//   const Alignment alignment = aligner.describe(locus, read, path, batch);
//   batch.md_of(alignment) == "7T0"
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "align/alignment.hpp"
#include "align/locus.hpp"
#include "align/locus_path.hpp"
#include "align/mapq.hpp"
#include "base/wide_word.hpp"
#include "match/fewest_gaps.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::align {

/// Consecutive steps of one kind.
struct AlignedRun {
  match::Step step;
  std::uint32_t length;
};

/// The path of an alignment: the reference position `start` where it begins, and its runs from first to last.
struct AlignedPath {
  std::uint64_t start = 0;
  std::vector<AlignedRun> runs;
};

/// The gaps of a path, which has at least one run.
PathRank rank_of(const AlignedPath& path);
/// Whether `a` is better than `b` by the rule of align/locus_path.hpp without its last point (the leftmost end). False
/// for equal paths.
bool goes_before(const AlignedPath& a, const AlignedPath& b);

class Aligner {
 public:
  /// `gaps`: whether alignments may have gaps; if not, the read ends where its locus does.
  /// `shows_last_deletion`: see PathProblem.
  Aligner(const sequence::Reference& reference, bool ambiguous_matches, bool eqx, bool gaps = true,
          bool shows_last_deletion = false)
      : reference_(reference),
        ambiguous_matches_(ambiguous_matches),
        eqx_(eqx),
        gaps_(gaps),
        shows_last_deletion_(shows_last_deletion) {}

  /// Prefetches the reference around loci that will be aligned or whose cost will be needed.
  void prefetch(std::span<const Locus> loci, const sequence::EncodedRead& read) const;

  /// Finds the path of a locus by the rule of align/locus_path.hpp. `read`: the strand that `locus` lies on.
  /// `max_edits`: e, the largest number of edits allowed for the read. The result is valid until the next call.
  /// Ends after `last_end` are not looked at.
  const AlignedPath& find_path(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t max_edits,
                               std::uint64_t last_end = UINT64_MAX);

  /// Appends the placements of a locus to `placements`, ascending, unless it has only one. `searched`: all ends with up
  /// to this number of edits are known. Returns how many there are; 0: no end has as few edits as the locus.
  std::uint32_t find_placements(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t searched,
                                std::vector<Locus>& placements);

  /// Makes the record of a locus with this path. Appends its CIGAR and MD to `out`; leaves `mapq` 0. If `read` is a
  /// piece of a read, `left` and `right` say how many bases are left out before and after it.
  Alignment describe(const Locus& locus, const sequence::EncodedRead& read, const AlignedPath& path,
                     AlignmentBatch& out, std::uint32_t left = 0, std::uint32_t right = 0) const;

  /// The Phred cost of a path's edits; `qualities` are those of `read`.
  std::uint64_t cost_of(const AlignedPath& path, const sequence::EncodedRead& read, const StrandQualities& qualities,
                        const MapqModel& model) const;
  /// The cost of a locus that is not aligned, beside the alignment that `sum` was started for: see locus_cost().
  std::int64_t cost_of(const Locus& locus, const sequence::EncodedRead& read, const StrandQualities& qualities,
                       const QualitySum& sum, const MapqModel& model) const;

 private:
  std::uint64_t contig_begin(std::uint64_t position) const {
    return reference_.contigs()[reference_.contig_at(position)].offset;
  }
  // The leftmost end at which the read fits without a gap, among the ends that certainly belong to the locus.
  std::optional<std::uint64_t> end_without_gap(const Locus& locus, const sequence::EncodedRead& read,
                                               std::uint32_t max_edits, std::uint64_t last_end) const;
  void find_gaps(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t max_edits,
                 std::uint64_t last_end);
  template <class Word>
  std::uint32_t mark_placements(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t worse);
  template <class Word, unsigned kMost>
  bool find_gaps_with(const Locus& locus, const sequence::EncodedRead& read, std::uint32_t max_edits,
                      std::uint64_t last_end, unsigned levels, unsigned fewest, std::vector<Word>& rows);

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  bool eqx_;
  bool gaps_;
  bool shows_last_deletion_;
  sequence::TextWindow text_;
  std::vector<std::uint64_t> rows_;
  std::vector<WideWord<2>> rows_128_;
  std::vector<WideWord<9>> rows_576_;
  std::vector<std::uint8_t> marks_;  // of the ends of a run: EndMark
  AlignedPath path_;
};

}  // namespace trawl::align
