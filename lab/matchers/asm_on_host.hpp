// The CPU twin of lab/kernels/asm_hmm.cu. Parts are computed one by one; in each step, so are the threads of a block.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/asm_diagonal.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/sequential.hpp"

namespace trawl::matchers {

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
  switch (settings.rows_per_thread) {
    case 1:
      return internal::asm_on_host<1>(text, settings.pattern, parts);
    case 2:
      return internal::asm_on_host<2>(text, settings.pattern, parts);
    case 4:
      return internal::asm_on_host<4>(text, settings.pattern, parts);
    default:
      return internal::asm_on_host<8>(text, settings.pattern, parts);
  }
}

}  // namespace trawl::matchers
