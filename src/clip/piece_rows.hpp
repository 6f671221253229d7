// The recurrence of the piece finder in SIMD lanes (Highway; the instruction set is chosen at run time). A lane is a
// diagonal: row i of a band holds the nodes (i, first diagonal + i + lane).
//
//   row_stride(64) == 80         // 64 lanes and 16 that hold kNone, from one row to the next
//
//   left[x](i, lane)    fewest bases left out at the left end by an alignment that reaches this node with <= x edits
//   right[y](i, lane)   fewest bases left out at the right end by one that leaves it and has <= y edits from there on
//
// Every step of an alignment keeps its diagonal or moves by one. So level x of a row needs the same lane of the row
// before, and level x - 1 of both rows:
//
//   left[x](i + 1, k) = min(  left[x](i, k) if read[i] matches text[i + k],      left[x - 1](i, k),
//                             left[x - 1](i, k + 1)   insertion,                 left[x - 1](i + 1, k - 1)   deletion )
//   left[0](i + 1, k) = min(  left[0](i, k) if they match,                       i + 1   if that is at most N )
//
// The right ends are the same from the last row upwards, with the two gaps exchanged. Level by level, rows inside, no
// lane waits for another one.
//
// Nodes outside the contig need no care, because nothing matches there: an alignment that leaves the contig can as well
// insert the bases at its border, with no more edits. So the values of nodes inside are right, and alignments that meet
// outside also meet inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace trawl::clip {

/// Bands have a multiple of so many lanes.
inline constexpr std::size_t kLaneBlock = 64;
/// The lanes of a band that needs so many.
constexpr std::size_t whole_blocks(std::size_t lanes) { return (lanes + kLaneBlock - 1) / kLaneBlock * kLaneBlock; }

/// Bases left out: at most N.
using RowValue = std::uint16_t;
/// More bases than any limit allows.
inline constexpr RowValue kNone = std::numeric_limits<RowValue>::max();

/// Lanes before and after each row that must hold kNone.
inline constexpr std::size_t kRowPad = 32 / sizeof(RowValue);

/// From the start of one row to that of the next.
constexpr std::size_t row_stride(std::size_t lanes) { return lanes + kRowPad; }

/// Consecutive rows of one pass, downwards (left ends) or upwards (right ends).
struct RowBlock {
  const RowValue* read = nullptr;  // the set (bit 0 = A .. bit 3 = T) of the base of the first step
  const RowValue* text = nullptr;  // the same of the text, for lane 0 of the first step
  std::ptrdiff_t step = 1;         // 1 downwards, -1 upwards
  std::uint32_t done = 0;          // steps before the first one
  std::uint32_t steps = 0;         // rows to compute
  std::uint32_t clip = 0;          // N
  std::uint32_t levels = 1;        // E + 1
  std::size_t lanes = 0;           // a multiple of kLaneBlock
  RowValue* state = nullptr;       // [level][lane]: the row before the first step; afterwards the last row
  RowValue* rows = nullptr;        // [level][0..steps][lane]; without `keep`, levels take turns in the first two
  std::size_t level_stride = 0;    // between levels of `rows`: at least (steps + 1) * row_stride(lanes)
  bool keep = false;               // keep the rows of all levels
  RowValue* differ = nullptr;      // scratch: [steps][lane], without pads
};

/// Computes the rows of a block. `state` and `rows` point to lane 0; rows are row_stride() apart there.
void advance_rows(const RowBlock& block);

/// Where a left part and a right part make an allowed alignment.
struct RowJoin {
  const RowValue* left = nullptr;                 // lane 0 of level 0
  const RowValue* right = nullptr;                // the same of the node that follows: one lane further for a deletion
  std::size_t left_stride = 0, right_stride = 0;  // between levels
  std::size_t lanes = 0;
  const RowValue* most_clipped = nullptr;  // [0 .. levels - 1]
  std::uint32_t levels = 1;
  std::uint32_t cost = 0;  // edits of the step between the two parts: 0 or 1
};

/// Bit k: for some x and y, left[x](k) + right[y](k) <= most_clipped[x + y + cost]. Writes lanes / 64 words.
void join_rows(const RowJoin& join, std::uint64_t* bits);

/// The instruction set in use.
const char* piece_rows_target();

}  // namespace trawl::clip
