// ASM (Man, Nakano and Ito 2013): computes the table of a pattern and a text along anti-diagonals. Thread t holds kRows
// rows, the first of which is row t kRows. In step s it computes them for column s - t. The values that it needs from
// thread t - 1 were computed there in step s - 1. Row -1 is 0 edits everywhere, because a match may begin anywhere.
//
//   DiagonalRows<unsigned, 4> rows;
//   rows.start(pattern, m, t, begin);            // the text's part begins at position `begin`
//   for each step s, all threads together, where the part has a column j = s - t:
//     rows.step(above, text[begin + j]);         // above: thread t - 1's rows.bottom, as the step before left it;
//                                                // for thread 0 DiagonalCell<unsigned>::start(begin + j + 1)
//
// After it: the CPU twin of lab/kernels/asm_hmm.cu. Parts are computed one by one; in each step, so are the threads of
// a block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/with_constant.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/sequential.hpp"

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
    TRAWL_UNROLL
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
    TRAWL_UNROLL
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
    TRAWL_UNROLL
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

namespace internal {

template <class Cell>
struct PartResult {
  Cell cell = static_cast<Cell>(~Cell{0});
  std::uint64_t end = 0;  // after the column of the best cell
};

/// The best cell in the last row, for columns [begin, end) of a text without their first `first_answer` columns.
template <class Cell, unsigned kRows>
PartResult<Cell> asm_part_on_host(std::string_view text, std::string_view pattern, std::uint64_t begin,
                                  std::uint64_t end, std::uint64_t first_answer) {
  using Traits = DiagonalCell<Cell>;
  const auto m = static_cast<unsigned>(pattern.size());
  const unsigned threads = (m + kRows - 1) / kRows;
  const unsigned last_register = m - 1 - (threads - 1) * kRows;
  std::vector<DiagonalRows<Cell, kRows>> rows(threads);
  for (unsigned t = 0; t < threads; ++t) {
    rows[t].start(reinterpret_cast<const std::uint8_t*>(pattern.data()), m, t, begin);
  }
  PartResult<Cell> best;
  const std::uint64_t columns = end - begin;
  for (std::uint64_t s = 0; s < columns + threads - 1; ++s) {
    // From the last thread down: so each thread still sees what its left neighbour computed in the previous step.
    for (unsigned t = threads; t-- > 0;) {
      if (s < t || s - t >= columns) {
        continue;
      }
      const std::uint64_t j = s - t;
      const Cell above = t == 0 ? Traits::start(begin + j + 1) : rows[t - 1].bottom;
      rows[t].step(above, static_cast<std::uint8_t>(text[begin + j]));
      if (t + 1 == threads && j >= first_answer && Traits::better(rows[t].row(last_register), best.cell)) {
        best = {rows[t].row(last_register), begin + j + 1};
      }
    }
  }
  return best;
}

template <unsigned kRows>
NearestSubstring asm_on_host(std::string_view text, std::string_view pattern, const AsmParts& parts) {
  NearestSubstring best;
  PartResult<unsigned> best_part;
  for (unsigned p = 0; p < parts.parts; ++p) {
    const std::uint64_t begin = p * parts.step;
    const auto found = asm_part_on_host<unsigned, kRows>(
        text, pattern, begin, std::min<std::uint64_t>(text.size(), begin + parts.length), p == 0 ? 0 : parts.overlap);
    if (DiagonalCell<unsigned>::better(found.cell, best_part.cell)) {
      best_part = found;
    }
  }
  best.distance = best_part.cell;
  best.end = best_part.end;
  using Placed = unsigned long long;
  const std::uint64_t begin = nearest_window(best.end, pattern.size(), best.distance);
  best.begin =
      asm_part_on_host<Placed, kRows>(text, pattern, begin, best.end, 0).cell & (DiagonalCell<Placed>::kEdit - 1);
  return best;
}

}  // namespace internal

/// The substring of `text` with the smallest distance to the pattern. Neither may be empty. `settings` must come from
/// resolve().
inline NearestSubstring asm_on_host(std::string_view text, const AsmSettings& settings) {
  const AsmParts parts = cut_in_parts(settings, text.size());
  return with_constant<3>(static_cast<unsigned>(std::countr_zero(settings.rows_per_thread)), [&](auto log) {
    return internal::asm_on_host<1u << decltype(log)::value>(text, settings.pattern, parts);
  });
}

}  // namespace trawl::matchers
