// The sequential programs that the parallel ones are measured against, over any bytes: plain dynamic programming,
// column by column, one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trawl::match {

/// ends[j] is 1 where a match of `pattern` with at most `max_edits` edits ends at text position j.
inline std::vector<std::uint8_t> sequential_ends(std::string_view text, std::string_view pattern, unsigned max_edits) {
  const std::size_t m = pattern.size();
  std::vector<unsigned> column(m + 1);
  for (std::size_t i = 0; i <= m; ++i) {
    column[i] = static_cast<unsigned>(i);
  }
  std::vector<std::uint8_t> ends(text.size());
  for (std::size_t j = 0; j < text.size(); ++j) {
    unsigned diagonal = 0;
    for (std::size_t i = 1; i <= m; ++i) {
      const unsigned substituted = diagonal + (pattern[i - 1] != text[j]);
      diagonal = column[i];
      column[i] = std::min({substituted, column[i] + 1, column[i - 1] + 1});
    }
    ends[j] = column[m] <= max_edits;
  }
  return ends;
}

/// The substring text[begin, end) that is nearest to the pattern; of several the leftmost end, then the leftmost begin.
struct NearestSubstring {
  unsigned distance = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const NearestSubstring&) const = default;
};

inline NearestSubstring sequential_nearest(std::string_view text, std::string_view pattern) {
  struct Cell {
    unsigned distance;
    std::uint64_t begin;
    bool operator<(const Cell& o) const { return distance < o.distance || (distance == o.distance && begin < o.begin); }
  };
  const std::size_t m = pattern.size();
  std::vector<Cell> column(m + 1);
  for (std::size_t i = 0; i <= m; ++i) {
    column[i] = {static_cast<unsigned>(i), 0};
  }
  NearestSubstring best{static_cast<unsigned>(m), 0, 0};
  bool found = false;
  for (std::size_t j = 0; j < text.size(); ++j) {
    Cell diagonal = column[0];
    column[0] = {0, j + 1};
    for (std::size_t i = 1; i <= m; ++i) {
      const Cell substituted{diagonal.distance + (pattern[i - 1] != text[j]), diagonal.begin};
      diagonal = column[i];
      const Cell inserted{column[i].distance + 1, column[i].begin};
      const Cell deleted{column[i - 1].distance + 1, column[i - 1].begin};
      column[i] = std::min({substituted, inserted, deleted});
    }
    if (!found || column[m].distance < best.distance) {
      best = {column[m].distance, column[m].begin, j + 1};
      found = true;
    }
  }
  return best;
}

}  // namespace trawl::match
