// From the rows of a banded computation to the alignment's steps, from its end to its start.
//
// Of all best alignments that end at the given cell it takes the one found by walking back along the diagonal wherever
// a best alignment does so. Its gaps are left-aligned: a gap that could be moved one base to the left would have been
// passed by on the diagonal.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace trawl::match {

enum class Step { diagonal, insertion, deletion };

/// What a row of the band keeps for the way back. Bit b of `blocked`: no best alignment comes along the diagonal
/// (d0 & ~eq). Bit b of `up`: one comes from the row above (an insertion).
template <class Word>
struct TraceRow {
  Word blocked;
  Word up;
};

/// Walks from row `rows` - 1, bit `bit`, to the first row, calling emit(Step) for every step. `trace[i]` is row i's
/// TraceRow. Text offsets count from the band's begin, where row i holds offset i + b in bit b; offsets below
/// `first_offset` lie before the contig and are never aligned to. Returns the offset of the first aligned text
/// position.
template <class Rows, class Emit>
TRAWL_HOST_DEVICE inline std::int64_t trace_band(const Rows& trace, unsigned rows, unsigned bit,
                                                 std::int64_t first_offset, Emit&& emit) {
  unsigned row = rows;
  while (row > 0) {
    const auto& cell = trace[row - 1];
    const std::int64_t offset = static_cast<std::int64_t>(row - 1) + bit;
    if (offset < first_offset) {
      emit(Step::insertion);
      --row;
      ++bit;
    } else if (((cell.blocked >> bit) & 1) == 0) {
      emit(Step::diagonal);
      --row;
    } else if (((cell.up >> bit) & 1) != 0) {
      emit(Step::insertion);
      --row;
      ++bit;
    } else {
      emit(Step::deletion);
      --bit;
    }
  }
  return static_cast<std::int64_t>(bit);
}

}  // namespace trawl::match
