// The CPU twin of gpu/wspasm.cu: the Levenshtein matrix row by row by way of X, the last occurrence of each pattern
// character (Ho, Oh and Kim 2017, equations in gpu/wspasm.hpp). Every cell of a row is independent of its neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trawl::match {

/// ends[j] is 1 where a match of `pattern` with at most `max_edits` edits ends at text position j.
inline std::vector<std::uint8_t> row_by_row_ends(std::string_view text, std::string_view pattern, unsigned max_edits) {
  const std::size_t n = text.size();
  std::vector<std::uint64_t> above(n + 1, 0);  // column 0 is before the first character
  std::vector<std::uint64_t> row(n + 1);
  for (std::size_t i = 1; i <= pattern.size(); ++i) {
    std::size_t x = 0;  // the last column up to j that holds the row's character
    row[0] = i;
    for (std::size_t j = 1; j <= n; ++j) {
      if (text[j - 1] == pattern[i - 1]) {
        x = j;
        row[j] = above[j - 1];
      } else {
        const std::uint64_t gap = x == 0 ? i + j - 1 : above[x - 1] + j - 1 - x;
        row[j] = 1 + std::min({above[j], above[j - 1], gap});
      }
    }
    above.swap(row);
  }
  std::vector<std::uint8_t> ends(n);
  for (std::size_t j = 0; j < n; ++j) {
    ends[j] = above[j + 1] <= max_edits;
  }
  return ends;
}

}  // namespace trawl::match
