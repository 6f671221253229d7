// Which part of an alignment is kept: bases at its ends are left out where the penalty becomes smaller by more than
// kEndLeftOut for each end. A base that is left out counts 1, a mismatch 5, and a gap is one event (gap_cost).
//
//   with: const sequence::Reference reference = reference_of("ACGTTGCATTAGGACCATGG")
//   with: const sequence::EncodedRead read = read_of("ACGTTGCATTAGGACCTTCC")       // the last 4 bases: x-xx
//   TextAround text(reference, map::Options());
//   text.enter(0);
//   Chain chain{{{match::Step::diagonal, 20}}, sequence::kContigGap};
//   best_part_of({text, read}, chain).points() == 43        // 16M4S: twice 16, and an end of the read
//   trim({text, read}, 10, chain) == true
//   chain.right == 4
//
// extend() does the opposite: it makes an alignment longer.
#pragma once

#include <cstdint>

#include "polish/chain.hpp"

namespace trawl::polish {

/// A part of a chain.
struct Part {
  /// A place between two steps of the chain, and what the steps before it count.
  struct Place {
    std::uint32_t base;
    std::int64_t position;
    std::size_t run;
    std::uint32_t steps;  // of this run, before the place
    std::int32_t points;  // twice the score with gaps as events; more for an end of the read, fewer for a gap
  };

  Place begin, end;

  std::int32_t points() const { return end.points - begin.points; }
};

/// The best part of a chain; more of an end that is left out already costs no kEndLeftOut. Of equal parts the one is
/// taken of which the ends of the read that it reaches, less its gaps, are more, then the one that ends first, then the
/// one that begins last.
Part best_part_of(const View& view, const Chain& chain);

/// Leaves out what is not in the best part, if that leaves out at most so many bases of the read. Returns whether that
/// is anything.
bool trim(const View& view, std::uint32_t most_left_out, Chain& chain);

/// Makes a chain longer up to an end of the read, along its diagonal, where the bases up to there cost no more than to
/// leave them out. Returns whether it did.
bool reach_ends(const View& view, Chain& chain);

/// Makes a chain longer at both ends, along its diagonals, as far as the score grows and e allows.
Gain extend(const View& view, Chain& chain);

}  // namespace trawl::polish
