// What is done to primary records because a gap is one event: clipped ends are joined by long gaps
// (clip/end_joining.hpp), gaps are settled (clip/gap_settling.hpp), and ends are trimmed (clip/end_trimming.hpp).
//
//   with: const sequence::Reference& reference, const map::Options& options
//   with: const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   LongGaps(reference, options).join(batch, results);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "align/aligner.hpp"
#include "align/alignment.hpp"
#include "align/cigar.hpp"
#include "align/clip_rule.hpp"
#include "clip/chain.hpp"
#include "clip/end_joining.hpp"
#include "clip/gap_settling.hpp"
#include "map/options.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

class LongGaps {
 public:
  /// `reference` must outlive this object. With options.clip.join = 0 no end is joined.
  LongGaps(const sequence::Reference& reference, const map::Options& options)
      : reference_(reference),
        joins_(options.clip.join > 0),
        trims_(options.clip.when == align::ClipWhen::poor),
        ambiguous_matches_(options.ambiguous == map::Ambiguous::match),
        aligner_(reference, ambiguous_matches_, options.eqx),
        text_(reference, options),
        joining_(options.clip) {}

  /// Joins the clipped ends of the primary alignments of a batch where that is better. Concordant pairs stay
  /// concordant, whatever their inserts are then. Where ends are trimmed, gaps of clipped reads are settled before and
  /// after that.
  void join(const sequence::ReadBatch& batch, align::AlignmentBatch& results);
  /// The same for these reads. Gaps of whole reads are settled, too.
  void join(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads, align::AlignmentBatch& results);
  /// Settles the gaps of the primary alignments of whole reads, then trims their ends where
  /// `limits_of(length)`, the align::PieceLimits of reads of this length, allow it.
  template <class Limits>
  void trim(const sequence::ReadBatch& batch, const Limits& limits_of, align::AlignmentBatch& results) {
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const align::Alignment* const primary = align::primary_of(results, r);
      if (primary != nullptr && primary->distance > 0 && !align::clipped_ends(results, *primary).any()) {
        trim(batch, r, &limits_of(batch.length(r)), results);
      }
    }
    measure_inserts(results);
  }
  /// Trims primary alignments that are clipped already, without limits. Long gaps are not cut off.
  void trim_clipped(const sequence::ReadBatch& batch, align::AlignmentBatch& results);
  /// The penalty of read r after trim(), with gaps as events.
  std::int64_t trimmed_penalty(const sequence::ReadBatch& batch, std::size_t r, const align::PieceLimits& limits,
                               const align::AlignmentBatch& results);
  /// Makes the clipped primary alignments of these reads longer at both ends.
  void extend(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads, align::AlignmentBatch& results);

 private:
  void join(const sequence::ReadBatch& batch, std::size_t r, bool also_whole, align::AlignmentBatch& results);
  void trim(const sequence::ReadBatch& batch, std::size_t r, const align::PieceLimits* limits,
            align::AlignmentBatch& results);
  // Changes the primary alignment of read r by change(view, chain), which returns the gain.
  template <class Change>
  void change(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results, const Change& change);
  // Loads the strand that an alignment of read r lies on, and enters its contig.
  View load(const sequence::ReadBatch& batch, std::size_t r, const align::Alignment& alignment);
  // Sets the insert sizes of all concordant pairs, after alignments have changed.
  void measure_inserts(align::AlignmentBatch& results) const;

  const sequence::Reference& reference_;
  bool joins_;
  bool trims_;  // here joins are chosen by the points of trimming, and gaps are settled
  bool ambiguous_matches_;
  align::Aligner aligner_;
  TextAround text_;
  EndJoining joining_;
  GapSettling settling_;
  sequence::EncodedRead strands_[2];
  sequence::EncodedRead part_;
};

}  // namespace trawl::clip
