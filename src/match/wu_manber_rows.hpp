// Wu-Manber (1992) by rows on bit planes: one pattern character against a whole block of text at a time.
//
// Bit j of M_d[i] says that the first i pattern characters match a piece of the text that ends at position j with at
// most d edits. With S(x)[j] = x[j-1] and EQ_i the positions that character i matches,
//
//   M_0[i] = S(M_0[i-1]) & EQ_i
//   M_d[i] = (S(M_d[i-1]) & EQ_i) | M_{d-1}[i-1] | S(M_{d-1}[i-1]) | S(M_{d-1}[i])      d >= 1
//              match                deletion       substitution      insertion (in the text)
//
// and M_d[0] all ones. No position waits for its neighbour, so nothing is scanned along the text. Before the text,
// where nothing matches, M_d[i] is 1 exactly for i <= d. When no bit of M_k is left in a block and none enters it from
// the block before, no later row has one: the block is done.
//
// **Striped blocks** make S free. A block of kWords words per lane holds position p of its stripe in word p % kWords,
// so S of word t is word t - 1, and only word 0 needs work: its bits come from the last word, one place further on
// (`wrap`). stripe_eight() brings words of consecutive positions into that form:
//
//   position of a block of 8 words a lane  =  ... | number of the word v | lane | place g2 g1 g0 t2 t1 t0
//   after striping: word number t, place in the word 8 g + v
//
// so the successor of place 8 g + v is 8 (g + 1) + v, behind g's last value the next lane's first, and behind the last
// lane's the first lane's place v + 1.
//
//   PlainOps<std::uint64_t> ops;
//   striped_row<RowKind::edits, 8, 0>(ops, k + 1, state, wrapped, eq, wrap);
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "match/word_ops.hpp"

namespace trawl::match {

/// What a row may spend an edit on.
enum class RowKind : std::uint8_t {
  edits,       // substitution, deletion of the pattern character, insertions behind it
  mismatches,  // substitution (Hamming)
  exact,       // nothing
  anchor,      // nothing, but insertions may follow it
};

/// Whether M_d[i] is all ones for i <= d: the first rows may be spent on edits.
TRAWL_HOST_DEVICE constexpr bool may_spend(RowKind first_row) {
  return first_row == RowKind::edits || first_row == RowKind::mismatches;
}

#include "match/wu_manber_rows.inc"

}  // namespace trawl::match
