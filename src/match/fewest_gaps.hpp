// Finds, among all alignments with the smallest distance, the one with the fewest gaps. It works on the rows of a
// banded computation (banded_myers.hpp), bit-parallel.
//
// An alignment with the smallest distance goes only through cells that hold the true distance of the read's prefix. So
// the rows of the band tell which steps are allowed: along the diagonal, an insertion (from the row above) or a
// deletion (from the left), each where the two cells' values differ by exactly the cost of the step. For these steps
// the levels count gaps. Bit b of
//   diagonal_g, insertion_g, deletion_g    says that an alignment of the prefix with at most g gaps ends in this cell,
//                                          and that its last step is of this kind
// A gap is a run of insertions, or a run of deletions. X' means X in the row above, "allowed" the cells where the step
// is allowed:
//   diagonal_g  = allowed & (diagonal'_g | insertion'_g | deletion'_g)
//   insertion_g = allowed & ((insertion'_g | any'_{g-1}) >> 1)       the cell above is bit b + 1 of its row
//   deletion_g  = allowed & ((deletion_g | diagonal_{g-1} | insertion_{g-1}) << 1)
// where any_g is diagonal_g | insertion_g | deletion_g. In the last line, bits spread from cell to cell within one row;
// a single addition computes that.
//
// The traceback starts at the read's right end. It takes the diagonal wherever that does not need more gaps, otherwise
// an insertion, otherwise a deletion. So the gaps lie leftmost. Several ends are traced together as long as their steps
// are the same.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "match/banded_myers.hpp"

namespace trawl::match {

/// In the order in which the traceback prefers them.
enum class Step { diagonal, insertion, deletion };

/// How many words of a row the traceback needs, for up to `levels` gaps: diagonal_0, then diagonal_g, insertion_g,
/// deletion_g for each g from 1.
TRAWL_HOST_DEVICE constexpr unsigned gap_words(unsigned levels) { return 1 + 3 * levels; }

/// The levels of the current row, updated row by row. kMost: the largest number of gaps.
///
///   with: const std::vector<std::uint64_t>& eq, std::vector<std::uint64_t>& rows
///   BandState<std::uint64_t> state;
///   GapLevels<std::uint64_t, 1> levels(1, false);
///   for (std::size_t i = 0; i < eq.size(); ++i) {
///     const auto cells = banded_row(PlainOps<std::uint64_t>{}, state, eq[i]);
///     levels.step(cells, eq[i], state.vp, ~std::uint64_t{0});
///     levels.save([&](unsigned k, std::uint64_t word) { rows[i * gap_words(1) + k] = word; });
///   }
template <class Word, unsigned kMost>
class GapLevels {
 public:
  /// `levels`: the number of gaps to count, from 1 to kMost. With kMost 1 or 2 the loops are unrolled and `levels` is
  /// ignored: kMost gaps are counted. `may_begin_with_gap`: whether the read's first base may be inserted.
  TRAWL_HOST_DEVICE GapLevels(unsigned levels, bool may_begin_with_gap)
      : levels_(kMost <= 2 ? kMost : levels), insertions_(may_begin_with_gap) {
    for (unsigned g = 0; g <= levels_; ++g) {
      diagonal_[g] = ~Word{};
      insertion_[g] = Word{};
      deletion_[g] = Word{};
    }
  }

  /// Computes the next row. `vp`: that of the band's state after this row. Bit b of `in_contig`: text position b of the
  /// row lies in the contig, so a base may be aligned to it.
  TRAWL_HOST_DEVICE void step(const BandRow<Word>& cells, const Word& eq, const Word& vp, const Word& in_contig) {
    const Word along = ~(cells.d0 & ~eq) & in_contig;
    const Word down = insertions_ ? cells.up : Word{};
    const Word across = (vp << 1) & in_contig;
    insertions_ = true;
    Word fewer_above = diagonal_[0];  // any'_{g-1}
    diagonal_[0] = along & diagonal_[0];
    Word fewer_here = diagonal_[0];  // diagonal_{g-1} | insertion_{g-1}
    for (unsigned g = 1; g <= levels_; ++g) {
      const Word above = diagonal_[g] | insertion_[g] | deletion_[g];
      diagonal_[g] = along & above;
      insertion_[g] = down & ((insertion_[g] | fewer_above) >> 1);
      const Word entering = across & (fewer_here << 1);
      deletion_[g] = across & (~(across + entering) | entering);
      fewer_above = above;
      fewer_here = diagonal_[g] | insertion_[g];
    }
  }

  /// Calls put(k, word) for the gap_words() of the row.
  template <class Put>
  TRAWL_HOST_DEVICE void save(const Put& put) const {
    put(0, diagonal_[0]);
    for (unsigned g = 1; g <= levels_; ++g) {
      put(3 * g - 2, diagonal_[g]);
      put(3 * g - 1, insertion_[g]);
      put(3 * g, deletion_[g]);
    }
  }

  TRAWL_HOST_DEVICE const Word& diagonal(unsigned g) const { return diagonal_[g]; }
  TRAWL_HOST_DEVICE const Word& insertion(unsigned g) const { return insertion_[g]; }
  TRAWL_HOST_DEVICE const Word& deletion(unsigned g) const { return deletion_[g]; }
  TRAWL_HOST_DEVICE unsigned levels() const { return levels_; }

 private:
  unsigned levels_;
  bool insertions_;
  Word diagonal_[kMost + 1];
  Word insertion_[kMost + 1];  // [0] stays 0: a path without gaps cannot end with an insertion
  Word deletion_[kMost + 1];
};

/// The traceback from the last row, one run of equal steps at a time.
///
///   with: const auto& row_word, std::uint32_t rows, std::uint64_t ends
///   GapWalk walk(row_word, rows, ends, 1);           // row_word(i, k): word k that row i saved
///   Step step;
///   std::uint32_t length;
///   while (walk.next(step, length)) { ... }          // runs, from the read's right end to its left end
///   const auto begins = walk.cells();                // bit b: the walk may have come to offset b, before row 0
template <class Word, class RowWord>
class GapWalk {
 public:
  /// `ends`: the cells of the last row that a path with `gaps` gaps reaches.
  TRAWL_HOST_DEVICE GapWalk(const RowWord& row_word, std::uint32_t rows, const Word& ends, unsigned gaps)
      : row_word_(row_word), row_(rows), cells_(ends), gaps_(gaps) {}

  /// The next run; false after the last one.
  TRAWL_HOST_DEVICE bool next(Step& step, std::uint32_t& length) {
    if (row_ == 0) {
      return false;
    }
    step = choose(Step::diagonal, 0);
    length = 0;
    if (step == Step::diagonal && gaps_ == 0) {
      length = row_;  // nothing but the diagonal is left
      row_ = 0;
      return true;
    }
    if (step != Step::diagonal) {
      --gaps_;
    }
    const Step kind = step;
    Step here = step;
    do {
      take(here);
      ++length;
      here = row_ == 0 ? Step::diagonal : choose(kind, kind == Step::diagonal ? 0 : 1);
    } while (row_ > 0 && here == kind);
    return true;
  }

  TRAWL_HOST_DEVICE const Word& cells() const { return cells_; }

 private:
  // Picks the first kind of step that any of the cells can take, and drops the cells that cannot. `open`: 1 if a gap of
  // the kind `before` is open to the right, so that making it longer adds no gap.
  TRAWL_HOST_DEVICE Step choose(Step before, unsigned open) {
    if (keep(gaps_ == 0 ? 0 : 3 * gaps_ - 2)) {
      return Step::diagonal;
    }
    const unsigned insertions = gaps_ + (before == Step::insertion ? open : 0);
    if (insertions > 0 && keep(3 * insertions - 1)) {
      return Step::insertion;
    }
    keep(3 * (gaps_ + (before == Step::deletion ? open : 0)));
    return Step::deletion;
  }

  TRAWL_HOST_DEVICE bool keep(unsigned word) {
    const Word left = cells_ & row_word_(row_ - 1, word);
    const bool any = left != Word{};
    cells_ = any ? left : cells_;
    return any;
  }

  TRAWL_HOST_DEVICE void take(Step step) {
    if (step == Step::deletion) {
      cells_ = cells_ >> 1;
      return;
    }
    --row_;
    if (step == Step::insertion) {
      cells_ = cells_ << 1;
    }
  }

  const RowWord& row_word_;
  std::uint32_t row_;
  Word cells_;
  unsigned gaps_;
};

}  // namespace trawl::match
