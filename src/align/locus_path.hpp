// The path of a locus: which of its alignments is written to the record.
//
//   PathRank{1, 1} < PathRank{2, 0}      // one gap is better than two
//   PathRank{1, 0} < PathRank{1, 1}      // and a gap inside is better than one at an end
//   max_runs(2) == 5                     // as in 30M1I40M1D29M
//
// Among all alignments that have the locus' distance, at any of its ends, it is the one with
//   1. the fewest gaps (a gap is a run of insertions, or of deletions),
//   2. then the fewest gaps at the read's ends: a last base that differs is a mismatch, not an insertion,
//   3. then the gaps leftmost: seen from the read's right end, where two paths differ, a match or mismatch is better
//      than an insertion, and an insertion better than a deletion,
//   4. then the leftmost end.
// A deletion after the last base is not shown, unless PathProblem says so.
// Example with e = 1: the read ACGTACGA on the reference ..ACGTACGT.. has distance 1 at two ends: that of ACGTACG and
// that of ACGTACGT. The path is that of the second, 8M, and not 7M1I.
//
// The ends are searched in windows, each with as many ends as a band holds. One band gives the distances at all these
// ends and, with match/fewest_gaps.hpp, the paths. Host and device run the same functions.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "match/fewest_gaps.hpp"

namespace trawl::align {

/// What the search for the path of a locus must know. Positions are in the coordinate space.
struct PathProblem {
  std::uint32_t length = 0;     // of the read, in bases
  std::uint32_t max_edits = 0;  // e: a locus' run of ends goes on while D <= e
  std::uint32_t distance = 0;   // of the locus
  std::int64_t first_end = 0;   // the leftmost end with that distance
  std::int64_t contig_begin = 0;
  std::int64_t contig_end = 0;        // after its last position
  std::int64_t last_end = INT64_MAX;  // ends after this one are not looked at
  bool shows_last_deletion = false;   // of trawl scan: a site ends where its bulge does
};

/// The quality of a path by the first two rules; smaller is better.
struct PathRank {
  std::uint32_t gaps = ~std::uint32_t{0};
  std::uint32_t end_gaps = 0;

  TRAWL_HOST_DEVICE bool operator<(const PathRank& other) const {
    return gaps != other.gaps ? gaps < other.gaps : end_gaps < other.end_gaps;
  }
};

/// The third rule: whether path `a` is better than path `b`, which has as many gaps. False for equal paths.
/// a.next(step, length) and b.next(step, length) give the runs of a path from its right end on; false after the last.
template <class PathA, class PathB>
TRAWL_HOST_DEVICE bool has_gaps_further_left(PathA&& a, PathB&& b) {
  match::Step step_a, step_b;
  std::uint32_t length_a = 0, length_b = 0;
  while (a.next(step_a, length_a) && b.next(step_b, length_b)) {
    if (step_a != step_b) {
      return step_a < step_b;
    }
    // The path with the shorter run takes its next step while the other is still in the longer run.
    if (length_a > length_b) {
      return b.next(step_b, length_b) && step_a < step_b;
    }
    if (length_a < length_b) {
      return a.next(step_a, length_a) && step_a < step_b;
    }
  }
  return false;
}

/// How many runs a path with `max_edits` edits can have.
TRAWL_HOST_DEVICE constexpr std::uint32_t max_runs(std::uint32_t max_edits) { return 2 * max_edits + 1; }

/// Finds the path of a locus.
///
///   Band     band(begin, state, visit): calls visit(i, cells, eq) after each row i of a band that begins at `begin`
///   Rows     rows.word(i, k), rows.put(i, k, word): word k < gap_words(levels) of row i
///   Runs     runs.clear(), runs.push(step, length), runs.size(), runs.step(k), runs.length(k): last run first
template <class Word, unsigned kMost, class Band, class Rows, class Runs>
class PathFinder {
 public:
  static constexpr unsigned kBits = 8 * sizeof(Word);

  TRAWL_HOST_DEVICE PathFinder(const PathProblem& problem, const Band& band, Rows rows, Runs& runs)
      : problem_(problem), band_(band), rows_(rows), runs_(runs) {}

  /// Whether there is a path with at most `levels` <= kMost gaps. If so, `runs` holds the best one, and `start` is the
  /// position of its first aligned base. `fewest`: every path is known to have at least this many gaps. 2 * max_edits
  /// must be less than the number of bits of a Word.
  TRAWL_HOST_DEVICE bool find(unsigned levels, unsigned fewest, std::int64_t& start) {
    levels_ = levels;
    fewest_ = fewest > 1 ? fewest : 1;
    best_ = {};
    distance_ = problem_.distance;
    std::int64_t first_end = problem_.first_end;
    while (search_window(first_end)) {
      first_end += window_ends();
    }
    start = start_;
    return best_.gaps <= levels;
  }

 private:
  using Levels = match::GapLevels<Word, kMost>;

  // The `row_word` of a GapWalk.
  struct RowWord {
    const Rows& rows;
    TRAWL_HOST_DEVICE Word operator()(std::uint32_t i, unsigned k) const { return rows.word(i, k); }
  };
  using Walk = match::GapWalk<Word, RowWord>;

  // The best path so far, run by run from its right end.
  struct KnownPath {
    const Runs& runs;
    std::uint32_t k = 0;
    TRAWL_HOST_DEVICE bool next(match::Step& step, std::uint32_t& length) {
      if (k == runs.size()) {
        return false;
      }
      step = runs.step(k);
      length = runs.length(k++);
      return true;
    }
  };

  // A path shifts by up to max_edits to either side. One end more than these must be in the band: where the next window
  // begins, whose distance find_ends() computes.
  TRAWL_HOST_DEVICE std::int64_t window_ends() const {
    return kBits - 2 * static_cast<std::int64_t>(problem_.max_edits) - 1;
  }

  // Searches the paths to the ends from `first_end` on, one window of them. Returns whether the run of ends goes on
  // after the window.
  TRAWL_HOST_DEVICE bool search_window(std::int64_t first_end) {
    begin_ = first_end + 1 - static_cast<std::int64_t>(problem_.length + problem_.max_edits);
    Word ends{};
    bool goes_on = false;
    // First the paths that do not begin with a gap, then those that may.
    for (unsigned with_gap = 0; with_gap < 2; ++with_gap) {
      Levels levels(levels_, with_gap == 1);
      match::BandState<Word> state;
      run_band(levels, state);
      if (with_gap == 0) {
        goes_on = find_ends(first_end, state, ends);
      }
      if (ends != Word{}) {
        try_paths(levels, ends, with_gap == 1);
      }
      // A path that begins with a gap has at least fewest_ gaps, and one of them is at an end of the read. It is not
      // better than a path with fewest_ gaps and none at the ends.
      if (ends == Word{} || (best_.gaps <= fewest_ && best_.end_gaps == 0)) {
        break;
      }
    }
    return goes_on && best_.gaps > 0;  // among paths without gaps, the one with the leftmost end is best
  }

  TRAWL_HOST_DEVICE void run_band(Levels& levels, match::BandState<Word>& state) {
    const std::int64_t before_contig = problem_.contig_begin - begin_;  // offsets before the contig
    band_(begin_, state, [&](std::uint32_t i, const match::BandRow<Word>& cells, const Word& eq) {
      Word in_contig = ~Word{};
      if (const std::int64_t hidden = before_contig - static_cast<std::int64_t>(i); before_contig > 0 && hidden > 0) {
        in_contig = hidden < static_cast<std::int64_t>(kBits) ? in_contig << static_cast<unsigned>(hidden) : Word{};
      }
      levels.step(cells, eq, state.vp, in_contig);
      levels.save([&](unsigned k, const Word& word) { rows_.put(i, k, word); });
    });
  }

  // Sets the bits of the ends that have the locus' distance. Returns whether the run goes on after the window.
  TRAWL_HOST_DEVICE bool find_ends(std::int64_t first_end, const match::BandState<Word>& state, Word& ends) {
    const unsigned first = problem_.max_edits;
    const auto count = static_cast<unsigned>(window_ends());
    for (unsigned t = 0; t < count; ++t) {
      if (distance_ > problem_.max_edits || first_end + t >= problem_.contig_end) {
        return false;
      }
      if (distance_ == problem_.distance) {
        ends = ends | Word{1} << (first + t);
      }
      if (first_end + t == problem_.last_end) {
        return false;
      }
      distance_ += (state.vp >> (first + t) & Word{1}) != Word{} ? 1 : 0;
      distance_ -= (state.vn >> (first + t) & Word{1}) != Word{} ? 1 : 0;
    }
    return true;
  }

  // Finds the best path to one of the ends, and keeps it if it is better than the best one so far.
  TRAWL_HOST_DEVICE void try_paths(const Levels& levels, const Word& ends, bool began_with_gap) {
    for (unsigned g = 0; g <= levels.levels() && g <= best_.gaps; ++g) {
      const Word inner = ends & levels.diagonal(g);
      // If an end is not the best one of its run, it may be that only a deletion leads to it.
      const Word outer = ends & (levels.insertion(g) | levels.deletion(g));
      if (inner == Word{} && outer == Word{}) {
        continue;
      }
      // If paths may begin with a gap, every path that is new here does.
      const PathRank rank{g, (inner == Word{} ? 1u : 0u) + (began_with_gap ? 1u : 0u)};
      if (rank < best_ || (!(best_ < rank) && goes_before(g, inner == Word{} ? outer : inner))) {
        take(rank, inner == Word{} ? outer : inner);
      }
      return;
    }
  }

  // Whether the path with `gaps` gaps to one of `ends` is better than the best one so far, by the third rule.
  TRAWL_HOST_DEVICE bool goes_before(unsigned gaps, const Word& ends) const {
    const RowWord row_word{rows_};
    return has_gaps_further_left(Walk(row_word, problem_.length, ends, gaps), KnownPath{runs_});
  }

  TRAWL_HOST_DEVICE void take(const PathRank& rank, const Word& ends) {
    best_ = rank;
    runs_.clear();
    const RowWord row_word{rows_};
    Walk walk(row_word, problem_.length, ends, rank.gaps);
    match::Step step;
    std::uint32_t length = 0;
    while (walk.next(step, length)) {
      // Ends before this one may cover too many ambiguous letters. Letters deleted after the last base say nothing.
      if (runs_.size() > 0 || step != match::Step::deletion || problem_.shows_last_deletion) {
        runs_.push(step, length);
      }
    }
    unsigned bit = 0;
    while ((walk.cells() >> bit & Word{1}) == Word{}) {
      ++bit;
    }
    start_ = begin_ + bit;
  }

  const PathProblem& problem_;
  const Band& band_;
  Rows rows_;
  Runs& runs_;
  unsigned levels_ = 1;
  unsigned fewest_ = 1;
  std::uint32_t distance_ = 0;  // D at the current end
  PathRank best_;
  std::int64_t begin_ = 0;
  std::int64_t start_ = 0;
};

}  // namespace trawl::align
