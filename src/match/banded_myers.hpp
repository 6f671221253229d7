// Myers' algorithm in a diagonal band (Hyyro 2003, section 5), row by row: one pattern character against the text
// positions of the band.
//
// The band has as many diagonals as a word has bits. In row i (pattern character i, counted from 0), bit b is the cell
// of text position begin + i + b. So with every row the word moves one text position to the right. Row -1 is all 0,
// because a match may begin anywhere. A cell outside the band is taken to be no better than a substitution along its
// diagonal. So no computed value is too small, and D is exact wherever a best alignment stays inside the band.
//
//   BandState<std::uint64_t> state;
//   for each row i:  banded_row(ops, state, eq_i);      // bit b of eq_i: pattern[i] matches text[begin + i + b]
//   D of the cell in bit 0 = rows - (number of rows whose d0 had bit 0)
//   D of bit b = D of bit 0 + popcount(vp & below b) - popcount(vn & below b)
#pragma once

#include "base/host_device.hpp"
#include "match/word_ops.hpp"

namespace trawl::match {

#include "match/banded_myers.inc"

}  // namespace trawl::match
