// The CPU twin of PASM in lab/kernels/wspasm.cu. It computes the Levenshtein matrix row by row with the help of X, the
// last occurrence of each pattern character (Ho, Oh and Kim 2017, equations in lab/kernels/wspasm.hpp). No cell
// depends on other cells of its row.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// D[i][j] for i, j >= 1, with above(j) = D[i-1][j]. `matches`: whether column j holds the row's letter. If not, x()
/// must give the last column before j that holds it, or 0.
template <class Above, class X>
TRAWL_HOST_DEVICE unsigned pasm_cell(unsigned i, unsigned j, bool matches, Above&& above, X&& x) {
  unsigned cell = above(j - 1);
  if (!matches) {
    const unsigned last = x();
    const unsigned gap = last == 0 ? i + j - 1 : above(last - 1) + j - 1 - last;
    const unsigned vertical = above(j);
    cell = cell < vertical ? cell : vertical;
    cell = 1 + (cell < gap ? cell : gap);
  }
  return cell;
}

/// ends[j] is 1 if a match of `pattern` with at most `max_edits` edits ends at text position j. The text must have
/// fewer than 2^32 characters minus the pattern's length.
inline std::vector<std::uint8_t> pasm_on_host(std::string_view text, std::string_view pattern, unsigned max_edits) {
  const std::size_t n = text.size();
  std::vector<unsigned> above(n + 1, 0);  // column 0 is before the first character
  std::vector<unsigned> row(n + 1);
  for (unsigned i = 1; i <= pattern.size(); ++i) {
    unsigned x = 0;  // the last column up to j that holds the row's character
    row[0] = i;
    for (unsigned j = 1; j <= n; ++j) {
      const bool matches = text[j - 1] == pattern[i - 1];
      row[j] = pasm_cell(
          i, j, matches, [&](unsigned column) { return above[column]; }, [&] { return x; });
      x = matches ? j : x;
    }
    above.swap(row);
  }
  std::vector<std::uint8_t> ends(n);
  for (std::size_t j = 0; j < n; ++j) {
    ends[j] = above[j + 1] <= max_edits;
  }
  return ends;
}

}  // namespace trawl::matchers
