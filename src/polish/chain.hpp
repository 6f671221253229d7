// An alignment as a chain of runs, the text around it, and its points. Joining ends and settling gaps
// (polish/end_joining.hpp, polish/gap_settling.hpp) work on it.
//
//   with: const sequence::Reference reference = reference_of("TTACGTACGTTT")
//   with: const sequence::EncodedRead read = read_of("ACGTGTTT")
//   TextAround text(reference, map::MapOptions());
//   text.enter(0);
//   Chain chain{{{match::Step::diagonal, 4}, {match::Step::deletion, 2}, {match::Step::diagonal, 4}}};    // 4M2D4M
//   chain.start = sequence::kContigGap + 2;
//   edits_of({text, read}, chain) == 2
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/aligner.hpp"
#include "align/alignment.hpp"
#include "align/clip_rule.hpp"
#include "map/options.hpp"
#include "polish/affine_band.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::polish {

inline constexpr std::int32_t kDeletedBase = -static_cast<std::int32_t>(align::kEditPoints);
static_assert(kMatch - kMismatch == static_cast<std::int32_t>(align::kEditPoints));

/// A gap of this length or more costs less as one event.
inline constexpr std::uint32_t kShortestEvent = 4;

/// What a gap costs as one event.
inline std::int32_t gap_cost(std::uint32_t length) {
  return std::min(kGapOpening + static_cast<std::int32_t>(length), kLongGap);
}
/// What a gap costs in AS: its bases, or a long gap.
inline std::int32_t cost_in_score(const align::AlignedRun& gap) {
  const std::int32_t of_base = gap.step == match::Step::insertion ? kMismatch : kDeletedBase;
  return std::min(-of_base * static_cast<std::int32_t>(gap.length), kLongGap);
}

/// What the score gains by a change; nothing: there is no change.
using Gain = std::optional<std::int64_t>;

/// An alignment as its runs from first to last, in the coordinates of a view.
struct Chain {
  std::vector<align::AlignedRun> runs;
  std::int64_t start = 0;   // text position of its first base
  std::uint32_t left = 0;   // bases left out before it
  std::uint32_t right = 0;  // and after it

  /// Adds steps at its end.
  void add(match::Step step, std::uint32_t length);
  /// The text position after its last base.
  std::int64_t end() const;
  /// Makes it a chain of the view in the other direction.
  void turn();
};

/// The chain of an alignment of a batch, on a contig that begins at this position of the coordinate space.
Chain chain_of(const align::AlignmentBatch& results, const align::Alignment& alignment, std::int64_t contig_begin);

/// The text of a contig around an alignment, as far as it was loaded.
class TextAround {
 public:
  /// `reference` must outlive this object.
  TextAround(const sequence::Reference& reference, const map::MapOptions& options)
      : reference_(reference),
        ambiguous_matches_(options.ambiguous == map::Ambiguous::match),
        max_edits_(options.max_edits),
        max_ambiguous_(options.max_ambiguous) {}

  void enter(std::size_t contig);
  std::int64_t contig_begin() const { return contig_begin_; }
  std::int64_t contig_end() const { return contig_end_; }

  /// Loads the positions [begin, end), if they are not loaded.
  void load(std::int64_t begin, std::int64_t end);
  /// The set of bases at a position; empty if it is not loaded.
  unsigned set_at(std::int64_t position) const {
    const std::int64_t at = position - begin_;
    return at >= 0 && at < static_cast<std::int64_t>(sets_.size()) ? sets_[static_cast<std::size_t>(at)] : 0;
  }
  /// The sets of [begin, end), all of which must be loaded.
  std::span<const std::uint8_t> sets(std::int64_t begin, std::int64_t end) const {
    return std::span(sets_).subspan(static_cast<std::size_t>(begin - begin_), static_cast<std::size_t>(end - begin));
  }

  /// e of a piece of this length.
  std::uint32_t max_edits(std::uint32_t bases) const { return max_edits_.of(bases); }
  /// Whether a piece of `bases` bases that ends before position `end` does not cover too many ambiguous letters.
  bool allows(std::uint32_t bases, std::int64_t end) const;

 private:
  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  map::NumberOrShare max_edits_;
  sequence::AmbiguousLimit max_ambiguous_;
  sequence::TextWindow window_;
  std::vector<std::uint8_t> sets_;
  std::int64_t begin_ = 0;
  std::int64_t contig_begin_ = 0, contig_end_ = 0;
};

/// A read and the text around it, both as sets of bases; or both backwards (text position x becomes -1 - x), so that
/// what is done at the right end can be done at the left one.
struct View {
  TextAround& text;
  const sequence::EncodedRead& read;
  bool backwards = false;

  View turned() const { return {text, read, !backwards}; }
  /// The view along the read as it is in the file, and its chain. A second call turns both back.
  View in_file(bool reverse, Chain& chain) const {
    if (reverse) {
      chain.turn();
    }
    return reverse ? turned() : *this;
  }

  std::uint32_t length() const { return static_cast<std::uint32_t>(read.length()); }
  unsigned read_set(std::uint32_t i) const { return read.set(backwards ? length() - 1 - i : i); }

  /// Loads the positions [begin, end).
  void load(std::int64_t begin, std::int64_t end) const {
    text.load(backwards ? -end : begin, backwards ? -begin : end);
  }
  /// Loads the text of a chain, and `around` positions on both sides.
  void load(const Chain& chain, std::int64_t around) const { load(chain.start - around, chain.end() + around); }
  /// Where the contig begins and ends.
  std::int64_t text_begin() const { return backwards ? -text.contig_end() : text.contig_begin(); }
  std::int64_t text_end() const { return backwards ? -text.contig_begin() : text.contig_end(); }
  unsigned text_set(std::int64_t position) const { return text.set_at(backwards ? -1 - position : position); }
  /// Empty for ambiguous letters.
  unsigned sure_set(std::int64_t position) const {
    const unsigned set = text_set(position);
    return (set & (set - 1)) == 0 ? set : 0;
  }

  bool matches(std::uint32_t i, std::int64_t position) const { return (text_set(position) & read_set(i)) != 0; }
  /// The points of base i at a position.
  std::int32_t points(std::uint32_t i, std::int64_t position) const {
    return matches(i, position) ? kMatch : read_set(i) == 0 ? kUnknown : kMismatch;
  }
  /// As matches(), but an ambiguous letter of the text matches nothing: it is no reason to make an alignment longer.
  bool surely_matches(std::uint32_t i, std::int64_t position) const { return (sure_set(position) & read_set(i)) != 0; }

  /// Whether a piece of `bases` bases with the text [begin, end) does not cover too many ambiguous letters.
  bool allows(std::uint32_t bases, std::int64_t begin, std::int64_t end) const {
    return text.allows(bases, backwards ? -begin : end);
  }
};

std::uint16_t edits_of(const View& view, const Chain& chain);

/// Moves each gap as far to the left of the reference as the score allows, up to one base behind the gap before it.
void move_gaps_left(const View& view, Chain& chain);

/// A place between two steps of a chain, and what the steps before it count.
struct ChainPlace {
  std::uint32_t base;
  std::int64_t position;
  std::size_t run;
  std::uint32_t steps;  // of this run, before the place
  std::int32_t points;  // twice the score with gaps as events; more for an end of the read, fewer for a gap
};

/// Which part of an alignment is kept: bases at its ends are left out where the penalty becomes smaller by more than
/// kEndLeftOut for each end. A base that is left out counts 1, a mismatch 5, and a gap is one event (gap_cost).
///
///   with: const sequence::Reference reference = reference_of("ACGTTGCATTAGGACCATGG")
///   with: const sequence::EncodedRead read = read_of("ACGTTGCATTAGGACCTTCC")       // the last 4 bases: x-xx
///   TextAround text(reference, map::MapOptions());
///   text.enter(0);
///   Chain chain{{{match::Step::diagonal, 20}}, sequence::kContigGap};
///   best_part_of({text, read}, chain).points() == 43        // 16M4S: twice 16, and an end of the read
///   trim({text, read}, 10, chain) == true
///   chain.right == 4
struct ChainPart {
  ChainPlace begin, end;

  std::int32_t points() const { return end.points - begin.points; }
};

/// The best part of a chain; leaving out more of an end that is clipped already costs no kEndLeftOut. Of equal parts,
/// the one for which the ends of the read that it reaches, less its gaps, are most; then the one that ends first, then
/// the one that begins last.
ChainPart best_part_of(const View& view, const Chain& chain);

/// Leaves out what is not in the best part, if that leaves out at most `most_left_out` bases of the read. Returns
/// whether that is anything.
bool trim(const View& view, std::uint32_t most_left_out, Chain& chain);

/// Makes a chain longer up to an end of the read, along its diagonal, where the bases up to there cost no more than
/// leaving them out. Returns whether it did.
bool reach_ends(const View& view, Chain& chain);

/// Makes a chain longer at both ends, along its diagonals, as far as the score grows and e allows.
Gain extend(const View& view, Chain& chain);

}  // namespace trawl::polish
