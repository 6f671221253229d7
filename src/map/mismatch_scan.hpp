// Complete search without seeds and without gaps: the mismatches of a read at every position, 64 positions at once.
#pragma once

#include <vector>

#include "map/reference_scan.hpp"
#include "map/verify.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// All contigs as a whole. (Runs of ambiguous bases cannot be left out: a read may begin in one.)
std::vector<Stretch> whole_contigs(const sequence::Reference& reference);

/// As scan_reference(), for distances without gaps: passes every end of a read that lies in a stretch with at most
/// max_edits mismatches.
void scan_without_gaps(const sequence::Reference& reference, const std::vector<Strand>& strands,
                       const std::vector<Stretch>& stretches, bool ambiguous_matches, const TakeEnds& take);

}  // namespace trawl::map
