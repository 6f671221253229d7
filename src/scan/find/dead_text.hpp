// Stretches of a reference that need no scan: the inside of long gaps and of long runs of ambiguous letters. The text
// before such a run no longer changes the result there.
//
//   with: const sequence::Reference reference = reference_of("ACGT" + std::string(10'000, 'N') + "ACGT")
//   bool all_match = false;
//   DeadText dead(reference, false, 100);
//   dead.from(0, 64, all_match) == 0            // ACGT comes soon
//   dead.from(1024, 64, all_match) == 9216      // so many positions need no scan
#pragma once

#include <cstdint>

#include "sequence/reference.hpp"

namespace trawl::scan {

/// Call it with ascending positions.
class DeadText {
 public:
  /// `reach`: no match is longer than this.
  DeadText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach)
      : reference_(reference), ambiguous_matches_(ambiguous_matches), reach_(reach) {}

  /// Number of positions from `begin` on, in whole blocks of `block`, that are dead. In them and in the `reach`
  /// positions before them nothing matches or, with `all_match`, everything matches (a run of N, if ambiguous letters
  /// match). In the second case the last `reach` positions of the run are not dead, because a match that leaves the run
  /// may have parts in it.
  std::uint64_t from(std::uint64_t begin, std::uint64_t block, bool& all_match);

 private:
  struct Run {
    std::uint64_t begin;
    std::uint64_t end;
    char letter;  // '\0': a gap or, if ambiguous letters match nothing, any ambiguous letter
  };

  Run run_at(std::uint64_t position);
  Run narrow(const Run& run, std::uint64_t position) const;

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::uint64_t reach_;
  Run run_{0, 0, '\0'};
};

}  // namespace trawl::scan
