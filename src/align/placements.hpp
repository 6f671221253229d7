// The placements of a locus: in a tandem repeat a read lies in one locus in many ways, each a unit further on.
//
// A locus is a run of ends with D <= e. Its placements are found among the ends whose distance is at most kWorse more
// than the smallest one, first those with the smallest distance, then those with one more edit, and so on:
//   1. An end at which the read fits without a gap is a placement, unless a better placement covers it.
//   2. From left to right, each other end that no placement covers is a placement, too.
// A placement covers the ends that it reaches, from the same first base of the reference, with no more edits than they
// have: there the alignment has a base more or less at an end, and is not another one. Where the read fits without a
// gap the first base is known; otherwise, of the first bases that the end's distance allows, it is the one nearest to
// where the read would lie without gaps (of two, the right one).
//
//   reference CCGGAATGGAATGGAATCC, read GGAATGGAAT, e = 5      one run of ends, two placements of distance 0
//   reference CCGGAATGGAACC,       read GGAATGGAAT, e = 1      ends at ..GGAA and ..GGAAC, both with one edit: one
//
//   // The run of one alignment has 3 ends before and after its best one.
//   const Locus locus{.end = 100, .distance = 0, .before = 3, .after = 8};
//   may_have_placements(locus, 3, 50, false, [](std::uint64_t) { return false; }) == true
//
// What is found depends neither on e nor on the ends that a search for few edits does not see. Host and device run the
// same functions.
#pragma once

#include <cstdint>

#include "align/locus.hpp"
#include "base/host_device.hpp"
#include "match/banded_myers.hpp"

namespace trawl::align {

/// Placements with up to this number of edits more than the best one of their run are found: those matter for a mapping
/// quality.
inline constexpr std::uint32_t kWorse = 2;

/// Whether a locus may have several placements. If not, its ends have the distances that one alignment gives them: one
/// more for each step away from the best end. The length of the run says so, if the ends beside it have more edits than
/// its read was searched for (`searched`). They may have fewer if they are no ends: behind the contig's last base, or,
/// where ambiguous bases match, because they cover too many of them. (An end before the first base has as many edits
/// as the read has bases.)
/// `is_ambiguous(position)`: of letters, and true between contigs.
template <class IsAmbiguous>
TRAWL_HOST_DEVICE bool may_have_placements(const Locus& locus, std::uint32_t searched, std::uint32_t read_length,
                                           bool ambiguous_matches, const IsAmbiguous& is_ambiguous) {
  const std::uint32_t usual = searched - locus.distance;
  if (locus.spread > 0 || locus.before != usual || locus.after != usual) {
    return true;
  }
  const std::uint64_t behind = locus.end + locus.after + 1;
  const std::uint64_t bases = std::uint64_t{locus.before} + locus.after + 1 + read_length;  // before it
  std::uint64_t position = !ambiguous_matches ? behind : behind > bases ? behind - bases : 0;
  while (position < behind && !is_ambiguous(position)) {
    ++position;
  }
  return is_ambiguous(position);
}

/// In a run all the way round a circular contig, each end is looked at once. The positions without repetitions begin at
/// `origin`.
TRAWL_HOST_DEVICE inline void limit_to_circle(std::uint64_t origin, std::uint64_t circle, Locus& locus) {
  if (std::uint64_t{locus.before} + locus.after >= circle) {
    const std::uint64_t before = locus.end - origin;
    locus.before = before < locus.before ? static_cast<std::uint32_t>(before) : locus.before;
    locus.after = static_cast<std::uint32_t>(circle - 1 - locus.before);
  }
}

/// What is known of an end of a run.
struct EndMark {
  static constexpr std::uint8_t kWorseBits = 3;  // its distance less the smallest one; kFar: more than kWorse
  static constexpr std::uint8_t kFar = 3;
  static constexpr std::uint8_t kCovered = 4;
  static constexpr std::uint8_t kPlacement = 8;
  static constexpr std::uint8_t kFollows = 16;  // covered by a placement before it with as many edits, and with gaps
  static_assert(kWorse < kFar);
};

/// What the search for placements must know. Positions are in the coordinate space.
struct PlacementProblem {
  std::uint32_t length = 0;    // of the read, in bases
  std::uint32_t distance = 0;  // the smallest one of the run
  std::uint32_t worse = 0;     // wanted placements have up to this number more: at most kWorse, and at most e in all
  std::int64_t first_end = 0;  // of the run
  std::int64_t last_end = 0;
  std::int64_t contig_begin = 0;
};

/// The largest distance + worse for which a word is wide enough.
template <class Word>
TRAWL_HOST_DEVICE constexpr std::uint32_t most_placement_edits() {
  return 4 * sizeof(Word) - 1;
}

/// Finds the placements of a run.
///
///   Band     band(begin, state, visit): calls visit(i, cells, eq) after each row i of a band that begins at `begin`
///   Fits     fits(end, mismatches): whether the read fits there without a gap, with this number of mismatches
///   Marks    marks[i]: the EndMark of end first_end + i, a byte
template <class Word, class Band, class Fits, class Marks>
class PlacementFinder {
 public:
  static constexpr unsigned kBits = 8 * sizeof(Word);

  TRAWL_HOST_DEVICE PlacementFinder(const PlacementProblem& problem, const Band& band, const Fits& fits, Marks marks)
      : problem_(problem),
        band_(band),
        fits_(fits),
        marks_(marks),
        count_(problem.last_end - problem.first_end + 1),
        reach_(problem.distance + problem.worse) {}

  /// Marks the ends. Returns the number of placements.
  TRAWL_HOST_DEVICE std::uint32_t find() {
    measure();
    for (std::uint32_t worse = 0; worse <= problem_.worse; ++worse) {
      for (std::int64_t i = 0; i < count_; ++i) {
        if (marks_[i] == worse && fits_(problem_.first_end + i, problem_.distance + worse)) {
          marks_[i] |= EndMark::kCovered | EndMark::kPlacement;
          ++found_;
        }
      }
      for (std::int64_t i = 0; i < count_; ++i) {
        if ((marks_[i] & EndMark::kPlacement) != 0 && (marks_[i] & EndMark::kWorseBits) == worse) {
          cover_near(i, worse);
          if (has_open_ends(i)) {
            cover_from(i, 0, worse, false);
          }
        }
      }
      for (std::int64_t i = 0; i < count_; ++i) {
        if (marks_[i] == worse) {
          marks_[i] |= EndMark::kCovered | EndMark::kPlacement;
          ++found_;
          cover_gapped(i, worse);
        }
      }
    }
    return found_;
  }

 private:
  // The distances of all ends, by windows of as many ends as a band holds.
  TRAWL_HOST_DEVICE void measure() {
    const std::int64_t ends = kBits - 2 * static_cast<std::int64_t>(reach_);
    for (std::int64_t first = 0; first < count_; first += ends) {
      match::BandState<Word> state;
      const std::int64_t begin = problem_.first_end + first + 1 - problem_.length - static_cast<std::int64_t>(reach_);
      std::int64_t distance = last_row(begin, state, 0);
      for (std::int64_t bit = 0; bit < ends + reach_ && first + bit - reach_ < count_; ++bit) {
        if (bit >= reach_) {
          const std::int64_t worse = distance - problem_.distance;
          marks_[first + bit - reach_] =
              worse > problem_.worse ? EndMark::kFar : static_cast<std::uint8_t>(worse > 0 ? worse : 0);
        }
        distance += step(state, static_cast<unsigned>(bit));
      }
    }
  }

  // Runs a band. Returns the distance of bit 0 in its last row. `before`: the distance before the first row.
  TRAWL_HOST_DEVICE std::int64_t last_row(std::int64_t begin, match::BandState<Word>& state,
                                          std::int64_t before) const {
    std::int64_t equal = 0;
    band_(begin, state, [&equal](std::uint32_t, const match::BandRow<Word>& cells, const Word&) {
      equal += (cells.d0 & Word{1}) != Word{} ? 1 : 0;
    });
    return before + problem_.length - equal;
  }

  TRAWL_HOST_DEVICE static std::int64_t step(const match::BandState<Word>& state, unsigned bit) {
    return ((state.vp >> bit & Word{1}) != Word{} ? 1 : 0) - ((state.vn >> bit & Word{1}) != Word{} ? 1 : 0);
  }

  // What surely belongs to the placement of end i: a base more or less at its end.
  TRAWL_HOST_DEVICE void cover_near(std::int64_t i, std::uint32_t worse) {
    for (std::int64_t k = 1; k + worse <= problem_.worse; ++k) {
      cover(i - k, static_cast<std::uint8_t>(worse + k));
      cover(i + k, static_cast<std::uint8_t>(worse + k));
    }
  }
  TRAWL_HOST_DEVICE void cover(std::int64_t i, std::uint8_t worse) {
    if (i >= 0 && i < count_ && marks_[i] == worse) {
      marks_[i] |= EndMark::kCovered;
    }
  }

  // Whether the placement of end i may cover an end that is not covered yet.
  TRAWL_HOST_DEVICE bool has_open_ends(std::int64_t i) const {
    const std::int64_t last = i + 2 * static_cast<std::int64_t>(reach_);
    for (std::int64_t k = i - 2 * static_cast<std::int64_t>(reach_); k <= last; ++k) {
      if (k >= 0 && k < count_ && marks_[k] < EndMark::kFar) {
        return true;
      }
    }
    return false;
  }

  TRAWL_HOST_DEVICE void cover_gapped(std::int64_t i, std::uint32_t worse) {
    const auto most = static_cast<std::int64_t>(problem_.distance + worse);
    for (std::int64_t shift = 0; shift <= most; ++shift) {
      if (cover_from(i, shift, worse, true) || (shift > 0 && cover_from(i, -shift, worse, true))) {
        return;
      }
    }
  }

  // Covers what the alignments reach that begin `shift` bases after the place where the read would end at end i without
  // gaps. Returns false if end i is not among it.
  TRAWL_HOST_DEVICE bool cover_from(std::int64_t i, std::int64_t shift, std::uint32_t worse, bool gapped) {
    const std::int64_t start = problem_.first_end + i + 1 - problem_.length + shift;
    if (start < problem_.contig_begin) {
      return false;
    }
    // Before the first row the distance is the number of bases from `start` on. Those before it count, too: a path
    // gains nothing by beginning there, because it could begin at `start` and leave them out.
    match::BandState<Word> state;
    state.vp = ~Word{} << reach_;
    state.vn = ~state.vp;
    const std::int64_t distance = last_row(start - static_cast<std::int64_t>(reach_), state, reach_);
    const std::int64_t first = i + shift - static_cast<std::int64_t>(reach_);  // the end of bit 0
    const auto for_each_reached = [&](const auto& visit) {
      std::int64_t here = distance;
      for (std::int64_t bit = 0; bit <= 2 * static_cast<std::int64_t>(reach_); ++bit) {
        if (first + bit >= 0 && first + bit < count_) {
          const std::uint8_t known = marks_[first + bit] & EndMark::kWorseBits;
          if (known < EndMark::kFar && here == static_cast<std::int64_t>(problem_.distance) + known) {
            visit(first + bit, known);
          }
        }
        here += step(state, static_cast<unsigned>(bit));
      }
    };
    bool reaches = !gapped;
    for_each_reached([&](std::int64_t k, std::uint8_t) { reaches = reaches || k == i; });
    if (reaches) {
      for_each_reached([&](std::int64_t k, std::uint8_t known) {
        if (marks_[k] == known) {
          const bool follows = gapped && k > i && known == worse;
          marks_[k] |= static_cast<std::uint8_t>(EndMark::kCovered | (follows ? EndMark::kFollows : 0));
        }
      });
    }
    return reaches;
  }

  const PlacementProblem& problem_;
  const Band& band_;
  const Fits& fits_;
  Marks marks_;
  std::int64_t count_;   // of ends
  std::uint32_t reach_;  // the most edits that matter
  std::uint32_t found_ = 0;
};

/// Calls visit(end, worse, spread) for each placement, ascending. `spread`: as in Locus; it ends before the next
/// placement (see reach() in align/pairing.hpp).
template <class Marks, class Visit>
TRAWL_HOST_DEVICE void for_each_placement(const Marks& marks, std::int64_t first_end, std::int64_t last_end,
                                          const Visit& visit) {
  const std::int64_t count = last_end - first_end + 1;
  for (std::int64_t i = 0; i < count; ++i) {
    if ((marks[i] & EndMark::kPlacement) == 0) {
      continue;
    }
    const std::uint8_t worse = marks[i] & EndMark::kWorseBits;
    std::int64_t last = i;
    for (std::int64_t k = i + 1; k < count && (marks[k] & EndMark::kPlacement) == 0; ++k) {
      last = (marks[k] & EndMark::kWorseBits) == worse && (marks[k] & EndMark::kFollows) != 0 ? k : last;
    }
    visit(first_end + i, worse, static_cast<std::uint32_t>(last - i));
  }
}

}  // namespace trawl::align
