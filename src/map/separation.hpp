// Whether loci found by a search for fewer edits than allowed are loci of their own.
//
// A locus is a maximal run of ends with D <= e. A search for fewer edits sees shorter runs, and in tandem repeats two
// of them may be parts of one. They are not where some end between them has D > e; such an end mostly lies right behind
// the first one, and one window there proves it.
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

  /// Forgets what was added. `strands` are those that add() speaks of.
  void start(const std::vector<Strand>& strands);
  /// The loci of strand `s`, all with D <= max_edits of it, ascending; band_width(allowed_edits) is not 0.
  void add(std::uint32_t s, std::span<const align::Locus> loci);
  /// Afterwards proven(s) says whether all loci added for a strand are known to be separate ones.
  void prove();
  bool proven(std::uint32_t s) const { return !unproven_[s]; }

 private:
  // The ends that one window of band width `band` tells exactly, for one strand.
  struct Queue {
    unsigned band = 0;
    std::vector<Window> windows;
    std::vector<std::uint64_t> last_ends;  // that still lie between the two loci; one a window
  };

  void prove(Queue& queue);

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::vector<Strand> strands_;  // as given, but searched for all allowed edits
  std::vector<bool> unproven_;
  std::vector<Queue> queues_{{16, {}, {}}, {32, {}, {}}, {64, {}, {}}};
  std::vector<BandDistances> verified_;
};

}  // namespace trawl::map
