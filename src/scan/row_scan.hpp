// The row-wise scan of a stretch of the reference on the CPU (Highway, chosen at run time).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scan/row_program.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// Positions by which stretches may begin and end: a multiple of every instruction set's block.
inline constexpr std::uint64_t kStretchUnit = 4096;

/// The most edits of a program.
inline constexpr std::uint32_t kMostEdits = 64;

/// Appends every hit of every list with an end in [begin, end) to `hits`, in no order. `begin` is a multiple of
/// kStretchUnit, and so is `end`, or it is the reference's size. D is that of substrings of the whole coordinate space,
/// whose gaps match nothing. `ambiguous_matches`: ambiguous letters of the reference match what they may stand for;
/// ends behind `longest()` + `max_edits()` letters N or more are then left out.
void scan_rows(const sequence::Reference& reference, std::span<const RowProgram> programs, bool ambiguous_matches,
               std::uint64_t begin, std::uint64_t end, std::vector<RowHit>& hits);

/// The instruction set in use.
const char* row_scan_target();

}  // namespace trawl::scan
