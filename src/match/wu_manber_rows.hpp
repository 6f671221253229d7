// Wu-Manber (1992) by rows on bit planes: one pattern character against a whole block of text at a time.
//
// Bit j of M_d[i] says: the first i pattern characters match, with at most d edits, a substring of the text that ends
// at position j. S moves a word on by one position, S(x)[j] = x[j-1], and EQ_i marks the positions that character i
// matches:
//
//   M_0[i] = S(M_0[i-1]) & EQ_i
//   M_d[i] = (S(M_d[i-1]) & EQ_i) | M_{d-1}[i-1] | S(M_{d-1}[i-1]) | S(M_{d-1}[i])      d >= 1
//              match                deletion       substitution      insertion (in the text)
//
// M_d[0] is all ones. No position depends on its neighbour in the same row, so nothing is computed along the text.
// Before the text, where nothing matches, M_d[i] is 1 exactly for i <= d. When M_k has no bit left in a block, and none
// enters from the block before, no later row has one either: the block is done.
//
// **Striped blocks** make S almost free. In a block with kWords words per lane, position p of a stripe lies in word p %
// kWords. So S of word t is simply word t - 1. Only word 0 needs work: its bits come from the last word, moved one
// place up (`wrap`). stripe_eight() turns words of consecutive positions into this form:
//
//   position of a block of 8 words per lane  =  ... | number of the word v | lane | place g2 g1 g0 t2 t1 t0
//   after striping: word number t, place in the word 8 g + v
//
// so the place after 8 g + v is 8 (g + 1) + v. After the last value of g comes the first place of the next lane, and
// after the last lane the first lane's place v + 1.
//
//   with: unsigned k, std::uint64_t (*state)[8], std::uint64_t* wrapped, const auto& eq, const auto& wrap
//   const PlainOps<std::uint64_t> ops;
//   striped_row<RowKind::edits, 8, 0>(ops, k + 1, state, wrapped, eq, wrap);       // M_d[i - 1] becomes M_d[i], d <= k
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "match/word_ops.hpp"

namespace trawl::match {

/// What an edit may be used for in a row.
enum class RowKind : std::uint8_t {
  edits,       // substitution, deletion of the pattern character, insertions after it
  mismatches,  // substitution (Hamming)
  exact,       // nothing
  anchor,      // nothing, but insertions may follow it
};

/// Whether M_d[i] is all ones for i <= d, that is, whether edits may delete the first pattern characters.
TRAWL_HOST_DEVICE constexpr bool may_spend(RowKind first_row) {
  return first_row == RowKind::edits || first_row == RowKind::mismatches;
}

#include "match/wu_manber_rows.inc"

}  // namespace trawl::match
