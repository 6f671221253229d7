// Checks loci that a search for fewer edits than allowed has found: are they separate loci, or parts of one?
//
//   with: const sequence::Reference& reference, const std::vector<Strand>& strands, std::span<const align::Locus> loci
//   Separation separation(reference, false);
//   separation.start(strands);
//   separation.add(0, loci);                 // of strand 0, from a search for fewer edits
//   separation.prove();
//   if (!separation.proven(0)) { ... }       // search strand 0 again, for all allowed edits
//
// A locus is a longest possible run of ends with D <= e. A search for fewer edits sees shorter runs, and in tandem
// repeats two of them may be parts of one locus. Two runs are separate if some end between them has D > e. Such an end
// mostly lies right after the first run, and checking one window there proves it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/locus.hpp"
#include "map/verify.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

class Separation {
 public:
  Separation(const sequence::Reference& reference, bool ambiguous_matches)
      : reference_(reference), ambiguous_matches_(ambiguous_matches) {}

  /// Removes all that was added. The strand numbers in add() are indices into `strands`.
  void start(const std::vector<Strand>& strands);
  /// Adds the loci of strand `s`, in ascending order. All must have D <= max_edits of the strand, and
  /// band_width(allowed_edits) must not be 0.
  void add(std::uint32_t s, std::span<const align::Locus> loci);
  /// Checks all strands. After this, proven(s) says whether all loci of strand s are known to be separate.
  void prove();
  bool proven(std::uint32_t s) const { return !unproven_[s]; }

 private:
  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::vector<Strand> strands_;  // as given, but with all allowed edits as max_edits
  std::vector<bool> unproven_;
  WindowQueues queues_;  // windows with the exact D at some ends between two loci of one strand
  std::vector<BandDistances> verified_;
};

}  // namespace trawl::map
