// The row-wise scan of a stretch of the reference on the CPU (Highway, chosen at run time).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// A multiple of every instruction set's block of positions.
inline constexpr std::uint64_t kStretchUnit = 4096;

/// The most edits of a program.
inline constexpr std::uint32_t kMostEdits = 64;

struct WuManberScanOptions {
  bool ambiguous_matches = false;    // of the reference, with what they may stand for
  std::uint64_t reach = 0;           // with them: hits that lie farther than this inside a run of N may be left out
  std::size_t most_hits = SIZE_MAX;  // stop when there are as many
  std::size_t room = SIZE_MAX;       // never hold as many
  std::uint32_t whole_ids = 0;       // lists with a smaller id are whole patterns: with ambiguous_matches, ends that
                                     // letters N make by themselves with n_edits are left out (n_ends.hpp)
  std::uint32_t n_edits = 0;
};

/// Appends every hit of every list with an end in [begin, end) to `hits`, in no order. D is that of substrings of the
/// whole coordinate space, whose gaps match nothing. Returns `end` or, where there are `most_hits` before, the position
/// up to which hits were found. It lies after `begin`, or is `begin` where the first block with hits has more of them
/// than `room`: ask for fewer positions then. Best where both are multiples of kStretchUnit.
std::uint64_t wu_manber_scan(const sequence::Reference& reference, std::span<const WuManberProgram> programs,
                             const WuManberScanOptions& options, std::uint64_t begin, std::uint64_t end,
                             std::vector<Hit>& hits);

/// The instruction set in use.
const char* wu_manber_scan_target();

}  // namespace trawl::scan
