// Complete search without seeds and without gaps: the mismatches of a read at every position, 64 positions at once.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   with: const sequence::EncodedRead read = read_of("GATTACA")
//   std::vector<std::uint64_t> ends;
//   scan_without_gaps(reference, {{&read, 2, 2}}, whole_contigs(reference), false,
//                     [&](std::size_t, std::span<const align::EndDistance> found) {
//                       for (const auto& one : found) { ends.push_back(one.end - sequence::kContigGap); }
//                     });
//   ends == {11, 18}
#pragma once

#include <cstdint>
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
