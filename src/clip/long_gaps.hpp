// Joins clipped ends to their piece by one long gap, for primary records. Here is also the rest of what is done to
// primary records because a gap is one event: ends are trimmed, and gaps are settled.
//
//   with: const sequence::Reference& reference, const map::Options& options
//   with: const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   LongGaps(reference, options).join(batch, results);
//
//   reference   ...ACGTTGCATTAG [20 bases] CCATGGTTACGTAACC...
//   read           ACGTTGCATTAG            CCATGGTTACGTAACC
//   clipped        90M60S                                        the 60 bases are left out
//   joined         90M20D60M
//
// A gap of more than e bases is too many edits for a locus, so such a read is clipped. But it is one event, and variant
// callers look for it in the CIGAR. The join is the one with the best score: bases aligned, minus 5 for each edit in
// them, minus kPenalty for the long gap. Of equal ones it has the shortest gap, then the leftmost. It is made if its
// score is better than without it. The part after the gap has no further gap, may itself be clipped, and lies on the
// same contig.
//
// Where ends are trimmed (see trim), joins are chosen by the same points: all gaps are events, and an end of the read
// that is reached counts kEndLeftOut. So 11 bases behind 20D are joined there, and the score becomes 4 smaller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/aligner.hpp"
#include "align/alignment.hpp"
#include "align/cigar.hpp"
#include "align/clip_rule.hpp"
#include "clip/affine_band.hpp"
#include "map/options.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::clip {

class LongGaps {
 public:
  /// What a long gap costs, in bases aligned: random bases near a piece do not match so well.
  static constexpr std::int32_t kPenalty = 15;
  /// A gap of so many bases costs less as one event.
  static constexpr std::uint32_t kShortest = 4;
  /// What a gap costs where ends are trimmed, beside 1 for each of its bases; at most kPenalty in all.
  static constexpr std::int32_t kGapOpening = AffineBand::kGapOpening;
  /// What it costs to leave out an end of the read, beside its bases. With 0, every base less than 5 from an end that
  /// differs is left out: of pairs of 150 on human chromosome 20 with a depth of 6, a caller found 5% fewer SNPs.
  static constexpr std::int32_t kEndLeftOut = 5;

  /// Diagonals beside those of an alignment on which its gaps may be settled.
  static constexpr std::int64_t kBeside = 8;

  /// The longest gap has options.clip.join bases. `reference` must outlive this object.
  LongGaps(const sequence::Reference& reference, const map::Options& options)
      : reference_(reference),
        ambiguous_matches_(options.ambiguous == map::Ambiguous::match),
        longest_(options.clip.join),
        joins_events_(options.clip.when == align::ClipWhen::poor),
        max_edits_(options.max_edits),
        max_ambiguous_(options.max_ambiguous),
        aligner_(reference, ambiguous_matches_, options.eqx) {}

  /// Joins the clipped ends of the primary alignments of a batch where that is better. Concordant pairs stay
  /// concordant, whatever their inserts are then. Where ends are trimmed, gaps of clipped reads are settled before and
  /// after that, as in trim().
  void join(const sequence::ReadBatch& batch, align::AlignmentBatch& results);
  /// The same for these reads. Gaps of whole reads are settled, too.
  void join(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads, align::AlignmentBatch& results);
  /// Settles the gaps of the primary alignments of whole reads: with a gap and another edit, or if one gap of up to
  /// kBeside bases would be better, the bases are aligned anew along the diagonals of the alignment and up to kBeside
  /// beside them (AffineBand). That is taken if its score is better than before, also after ends are left out, it has
  /// no more edits than e or than before, and it does not leave the contig.
  ///
  /// Then leaves out bases at the ends of these alignments, where the penalty becomes smaller by more
  /// than kEndLeftOut for each end and `limits_of(length)`, the align::PieceLimits of reads of this length, allow it.
  /// Here a gap is one event: it costs kGapOpening and 1 for each base. Of equal parts of an alignment the one is taken
  /// of which the ends of the read that it reaches, less its gaps, are more, then the one that ends first, then the one
  /// that begins last.
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
  /// The same for primary alignments that are clipped already, without limits; more of an end that is left out costs
  /// no kEndLeftOut. Long gaps are not cut off.
  void trim_clipped(const sequence::ReadBatch& batch, align::AlignmentBatch& results);
  /// The penalty of read r after trim(), with gaps as events.
  std::int64_t trimmed_penalty(const sequence::ReadBatch& batch, std::size_t r, const align::PieceLimits& limits,
                               const align::AlignmentBatch& results);
  /// Makes the primary alignments of these reads longer at both ends, along their diagonals, as far as the score
  /// grows and e allows.
  void extend(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads, align::AlignmentBatch& results);

 private:
  // An alignment as its runs from first to last, in the coordinates of a view.
  struct Chain {
    std::vector<align::AlignedRun> runs;
    std::int64_t start = 0;   // text position of its first base
    std::uint32_t left = 0;   // bases left out before it
    std::uint32_t right = 0;  // and after it
  };
  // A read and the text around it, both as sets of bases; or both backwards, so that joining at the left end is joining
  // at the right end.
  struct View {
    const LongGaps& owner;
    const sequence::EncodedRead& read;
    bool backwards;

    std::uint32_t length() const { return static_cast<std::uint32_t>(read.length()); }
    // Where the contig ends.
    std::int64_t text_end() const;
    bool matches(std::uint32_t i, std::int64_t position) const;
    // The same, but an ambiguous letter of the text matches nothing: it is no reason to make an alignment longer.
    bool surely_matches(std::uint32_t i, std::int64_t position) const;
    unsigned text_set(std::int64_t position) const;
    unsigned sure_set(std::int64_t position) const;  // empty for ambiguous letters
    unsigned read_set(std::uint32_t i) const;
    // Whether a piece of `bases` bases with the text [begin, end) does not lean too much on ambiguous letters.
    bool allows(std::uint32_t bases, std::int64_t begin, std::int64_t end) const;
  };
  // Which bases at the end of a view match, diagonal by diagonal.
  class EndBits {
   public:
    // For bases from `first_base` on, and these diagonals (text position minus base).
    void load(const View& view, std::uint32_t first_base, std::int64_t first_diagonal, std::int64_t last_diagonal);
    // Finds the matches on a diagonal. Returns whether kShortestRun bases in a row match.
    bool find_matches(std::int64_t diagonal);
    // Whether base i surely matches on this diagonal.
    bool matches(std::uint32_t i) const {
      return ((matches_[(i - first_base_) / 64] >> ((i - first_base_) % 64)) & 1) != 0;
    }

   private:
    std::uint32_t first_base_ = 0;
    std::int64_t first_diagonal_ = 0;
    std::size_t words_ = 0;
    std::array<std::vector<std::uint64_t>, 4> read_, text_;  // [code]: a bit for each base, or position
    std::vector<std::uint64_t> matches_;
  };

  // Sets the insert sizes of all concordant pairs, after alignments have changed.
  static void measure_inserts(align::AlignmentBatch& results);
  static bool is_clipped(const align::AlignmentBatch& results, std::size_t r);
  // Loads read r and its primary alignment.
  Chain load(const sequence::ReadBatch& batch, std::size_t r, const align::AlignmentBatch& results,
             const align::Alignment& primary);
  void join(const sequence::ReadBatch& batch, std::size_t r, bool also_whole, align::AlignmentBatch& results);
  void trim(const sequence::ReadBatch& batch, std::size_t r, const align::PieceLimits* limits,
            align::AlignmentBatch& results);
  // Changes the primary alignment of read r. change(strand, chain) returns what the score gains; nothing: there is no
  // change.
  template <class Change>
  void change(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results, const Change& change);
  void load_text(const sequence::EncodedRead& strand, const Chain& chain);
  // The score where cost_of(run) is what a gap costs.
  template <class Cost>
  static std::int64_t score_of(const View& view, const Chain& chain, const Cost& cost_of);
  // What the score gains; nothing: the gaps stay.
  std::optional<std::int64_t> settle(const sequence::EncodedRead& strand, Chain& chain);
  struct Trimmed {
    std::optional<std::int64_t> gain;  // of the score; nothing: no end was left out
    std::int64_t penalty = 0;          // of what is left, with gaps as events
  };
  Trimmed trim(const sequence::EncodedRead& strand, const align::PieceLimits* limits, Chain& chain);
  std::optional<std::int64_t> extend(const sequence::EncodedRead& strand, Chain& chain);
  std::int32_t extend_right(const View& view, Chain& chain, std::uint32_t& edits);
  std::optional<std::int64_t> join(const sequence::EncodedRead& strand, Chain& chain);
  // The part before the gap has at least `runs` runs. What the score gains, or nothing: there is no join.
  std::optional<std::int32_t> join_right(const View& view, Chain& chain, std::size_t runs);
  static void turn(Chain& chain);
  static std::uint16_t edits_of(const View& view, const Chain& chain);

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::uint32_t longest_;
  bool joins_events_;
  map::NumberOrShare max_edits_;
  sequence::AmbiguousLimit max_ambiguous_;
  align::Aligner aligner_;
  sequence::TextWindow text_;
  std::int64_t text_begin_ = 0;
  std::int64_t contig_begin_ = 0, contig_end_ = 0;
  sequence::EncodedRead strands_[2];
  std::vector<std::int32_t> suffix_;
  EndBits end_bits_;
  std::vector<std::uint8_t> read_sets_, text_sets_;
  AffineBand band_;
  sequence::EncodedRead part_;
};

}  // namespace trawl::clip
