// Myers' bit-vector algorithm (1999, in Hyyro's 2003 form): D(j) for every text position j, one column at a time.
//
// A column is stored as vertical differences: bit i of `vp` (`vn`) says that D[i+1][j] - D[i][j] is +1 (-1). A pattern
// with more characters than a word has bits takes several words, from the first row to the last. The horizontal
// difference at the bottom of one word goes into the top of the next word.
//
//   MyersWord<std::uint64_t> column;
//   int distance = 4;                                  // the pattern ACGT: D(0) is its length
//   for (const char c : std::string("TTACTT")) {
//     const auto eq = std::uint64_t{1} << std::string("ACGT").find(c);
//     distance += myers_step(column, eq, 0, std::uint64_t{1} << 3);
//   }
//   distance == 1
//
// eq[c] has bit i = 1 where pattern character i matches c; last_row = 1 << (m - 1).
//
// The recurrence is written once, for any `Ops` type that says what a word is. Here a word is a plain integer. In
// map/scan_simd.cpp, which includes match/myers.inc too, it is a SIMD vector with one pattern per lane.
#pragma once

#include "base/host_device.hpp"
#include "match/word_ops.hpp"

namespace trawl::match {

#include "match/myers.inc"

template <class Word>
struct MyersWord {
  Word vp = static_cast<Word>(~Word{0});
  Word vn = 0;
};

/// Moves one word of the pattern on by one text position. Returns the change (-1, 0, +1) of D in the row that `row`
/// marks.
template <class Word>
TRAWL_HOST_DEVICE inline int myers_step(MyersWord<Word>& column, Word eq, int change_above, Word row) {
  const auto h = myers_column(PlainOps<Word>{}, column.vp, column.vn, eq, static_cast<Word>(change_above > 0),
                              static_cast<Word>(change_above < 0));
  return static_cast<int>((h.hp & row) != 0) - static_cast<int>((h.hn & row) != 0);
}

/// Moves a pattern of several words on by one text position. `eq` and `columns` have `words` elements, and `last_row`
/// marks the pattern's last row in the last word. Returns the change of D(j).
template <class Word>
TRAWL_HOST_DEVICE inline int myers_step(MyersWord<Word>* columns, const Word* eq, unsigned words, Word last_row) {
  constexpr Word bottom = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  int change = 0;
  for (unsigned w = 0; w + 1 < words; ++w) {
    change = myers_step(columns[w], eq[w], change, bottom);
  }
  return myers_step(columns[words - 1], eq[words - 1], change, last_row);
}

}  // namespace trawl::match
