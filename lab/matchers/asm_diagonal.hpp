// ASM (Man, Nakano and Ito 2013): computes the table of a pattern and a text along anti-diagonals. Thread t holds kRows
// rows, the first of which is row t kRows. In step s it computes them for column s - t. The values that it needs from
// thread t - 1 were computed there in step s - 1. Row -1 is 0 edits everywhere, because a match may begin anywhere.
//
//   DiagonalRows<unsigned, 4> rows;
//   rows.start(pattern, m, t, begin);            // the text's part begins at position `begin`
//   for each step s, all threads together, where the part has a column j = s - t:
//     rows.step(above, text[begin + j]);         // above: thread t - 1's rows.bottom, as the step before left it;
//                                                // for thread 0 DiagonalCell<unsigned>::start(begin + j + 1)
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// A cell of the table: the number of edits, in units of kEdit. In a 64-bit Cell the bits below hold the position where
/// its alignment begins. So the smaller of two cells has fewer edits or, if the edits are equal, begins further left.
template <class Cell>
struct DiagonalCell;

template <>
struct DiagonalCell<unsigned> {
  static constexpr unsigned kEdit = 1;
  /// A cell without edits, at a position of the text.
  TRAWL_HOST_DEVICE static constexpr unsigned start(std::uint64_t) { return 0; }
  /// Whether `cell` has fewer edits than `best`.
  TRAWL_HOST_DEVICE static constexpr bool better(unsigned cell, unsigned best) { return cell < best; }
};

template <>
struct DiagonalCell<unsigned long long> {
  static constexpr unsigned long long kEdit = 1ull << 40;
  TRAWL_HOST_DEVICE static constexpr unsigned long long start(std::uint64_t position) { return position; }
  TRAWL_HOST_DEVICE static constexpr bool better(unsigned long long cell, unsigned long long best) {
    return cell < best && cell / kEdit < best / kEdit;
  }
};

/// The rows of one thread.
template <class Cell, unsigned kRows>
struct DiagonalRows {
  using Traits = DiagonalCell<Cell>;

  std::uint8_t x[kRows];
  Cell left[kRows];   // this thread's rows in the previous column
  Cell above_before;  // the row above them in the previous column
  Cell bottom;        // the last of this thread's rows

  /// Sets the state before column 0 of a part of the text that begins at `begin`.
  TRAWL_HOST_DEVICE void start(const std::uint8_t* pattern, unsigned m, unsigned t, std::uint64_t begin) {
    const Cell start_above = Traits::start(begin);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (unsigned r = 0; r < kRows; ++r) {
      const unsigned row = t * kRows + r;
      x[r] = row < m ? pattern[row] : 0;
      left[r] = static_cast<Cell>((row + 1) * Traits::kEdit + Traits::start(begin));
    }
    above_before = static_cast<Cell>(t * kRows * Traits::kEdit + start_above);
    bottom = left[kRows - 1];
  }

  /// Computes the next column. `y` is its character, and `above` the row above in this column.
  TRAWL_HOST_DEVICE void step(Cell above, std::uint8_t y) {
    Cell diagonal = above_before;
    above_before = above;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (unsigned r = 0; r < kRows; ++r) {
      const Cell substituted = diagonal + (x[r] != y ? Traits::kEdit : Cell{0});
      diagonal = left[r];
      const Cell gap = smaller(left[r], above) + Traits::kEdit;
      left[r] = smaller(substituted, gap);
      above = left[r];
    }
    bottom = left[kRows - 1];
  }

  /// Row `r` of this thread's rows.
  TRAWL_HOST_DEVICE Cell row(unsigned r) const {
    Cell cell = left[0];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (unsigned i = 1; i < kRows; ++i) {
      cell = i == r ? left[i] : cell;
    }
    return cell;
  }

 private:
  TRAWL_HOST_DEVICE static constexpr Cell smaller(Cell a, Cell b) {
#ifdef __CUDA_ARCH__
    return min(a, b);
#else
    return std::min(a, b);
#endif
  }
};

}  // namespace trawl::matchers
