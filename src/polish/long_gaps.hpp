// What is done to primary records because a gap is one event: clipped ends are joined by long gaps
// (polish/end_joining.hpp), gaps are settled (polish/gap_settling.hpp), and ends are trimmed (polish/chain.hpp).
//
//   with: const sequence::Reference& reference, const map::MapOptions& options
//   with: const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   LongGaps(reference, options).join(batch, results);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "align/alignment.hpp"
#include "map/options.hpp"
#include "polish/chain.hpp"
#include "polish/chain_records.hpp"
#include "polish/end_joining.hpp"
#include "polish/gap_settling.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::polish {

/// Sets the insert size of a concordant pair after its primary alignments have changed.
void measure_insert(const sequence::Reference& reference, std::size_t pair, align::AlignmentBatch& results);

class LongGaps {
 public:
  /// `reference` must outlive this object. With options.clip.join = 0 no end is joined.
  LongGaps(const sequence::Reference& reference, const map::MapOptions& options)
      : reference_(reference),
        joins_(options.clip.join > 0),
        trims_(options.clip.when == align::ClipWhen::poor),
        most_left_out_(options.clip.most),
        ambiguous_matches_(options.ambiguous == map::Ambiguous::match),
        records_(reference, options),
        joining_(options.clip),
        settling_(options.clip.join) {}

  /// Joins the clipped ends of the primary alignments of a batch where that is better. Concordant pairs stay
  /// concordant, whatever their inserts are then. Where ends are trimmed, gaps of clipped reads are settled before and
  /// after that.
  void join(const sequence::ReadBatch& batch, align::AlignmentBatch& results);
  /// The same for these reads. Gaps of whole reads are settled, too; where ends are trimmed, all get their scores.
  void join(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads, align::AlignmentBatch& results);
  /// Sets the scores of the primary alignments, settles those of whole reads, and trims their ends. A gap costs as many
  /// points as its edits, but no more than a long gap; an N of the read costs 1.
  void trim(const sequence::ReadBatch& batch, align::AlignmentBatch& results);
  /// Trims primary alignments that are clipped already, or makes them longer up to the end of the read, where that is
  /// better.
  void trim_clipped(const sequence::ReadBatch& batch, align::AlignmentBatch& results);
  /// Makes the clipped primary alignments of these reads longer at both ends.
  void extend(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads, align::AlignmentBatch& results);

 private:
  void join(const sequence::ReadBatch& batch, std::size_t r, bool also_whole, align::AlignmentBatch& results);
  // Changes the primary alignment of read r by change(view, chain), which returns the gain. Where ends are trimmed, the
  // score is that of the new alignment.
  template <class Change>
  void change(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results, const Change& change);
  // Sets the insert sizes of all concordant pairs, after alignments have changed.
  void measure_inserts(align::AlignmentBatch& results) const;

  const sequence::Reference& reference_;
  bool joins_;
  bool trims_;  // here joins are chosen by the points of trimming, and gaps are settled
  map::NumberOrShare most_left_out_;
  bool ambiguous_matches_;
  ChainRecords records_;
  EndJoining joining_;
  GapSettling settling_;
};

}  // namespace trawl::polish
