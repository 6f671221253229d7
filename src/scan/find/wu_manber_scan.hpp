// The row-wise scan of a stretch of the reference on the CPU (Highway; the instruction set is chosen at run time).
//
//   with: const sequence::Reference reference = reference_of("GGATTACAGG")
//   const WuManberProgram program(0, {{0, {{1}, {8}, {8}, {1}}}});          // ATTA
//   std::vector<Hit> hits;
//   wu_manber_scan(reference, {&program, 1}, {}, 0, reference.size(), hits);
//   hits[0].end == sequence::kContigGap + 5
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "sequence/ambiguous_limit.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// A multiple of the block size of every instruction set.
inline constexpr std::uint64_t kStretchUnit = 4096;

/// A program may have at most this many edits.
inline constexpr std::uint32_t kMostEdits = 64;

struct WuManberScanOptions : HitRoom {
  bool ambiguous_matches = false;  // an ambiguous letter of the reference matches each base that it can stand for
  std::uint64_t reach = 0;         // with ambiguous_matches: hits deeper than this in a run of N may be left out
  std::uint32_t whole_ids = 0;     // an id below this is a whole pattern: with ambiguous_matches, ends beyond the limit
                                   // are left out (sequence/ambiguous_limit.hpp)
  sequence::AmbiguousLimit limit{};
};

/// Appends every hit of every list with an end in [begin, end) to `hits`, in no particular order. Distances are those
/// to substrings of the whole coordinate space; gaps between contigs match nothing. Returns `end`. If there are
/// `most_hits` hits earlier, returns the position up to which all hits were found. This position is after `begin`,
/// except if the first block with hits has more than `room` of them: then it is `begin`, and the caller must ask for
/// fewer positions. It is fastest if `begin` and `end` are multiples of kStretchUnit.
std::uint64_t wu_manber_scan(const sequence::Reference& reference, std::span<const WuManberProgram> programs,
                             const WuManberScanOptions& options, std::uint64_t begin, std::uint64_t end,
                             std::vector<Hit>& hits);

/// Name of the instruction set in use.
const char* wu_manber_scan_target();

}  // namespace trawl::scan
