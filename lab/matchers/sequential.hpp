// The sequential programs with which the parallel ones are compared, for any bytes: plain dynamic programming, column
// by column, on one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trawl::matchers {

namespace internal {

/// A column of distances, from row 0, which is always 0, to row m.
inline std::vector<unsigned> first_column(std::size_t m) {
  std::vector<unsigned> column(m + 1);
  for (std::size_t i = 0; i <= m; ++i) {
    column[i] = static_cast<unsigned>(i);
  }
  return column;
}

inline void next_column(std::vector<unsigned>& column, std::string_view pattern, char letter) {
  unsigned diagonal = 0;
  for (std::size_t i = 1; i < column.size(); ++i) {
    const unsigned substituted = diagonal + (pattern[i - 1] != letter);
    diagonal = column[i];
    column[i] = std::min({substituted, column[i] + 1, column[i - 1] + 1});
  }
}

}  // namespace internal

/// ends[j] is 1 if a match of `pattern` with at most `max_edits` edits ends at text position j.
inline std::vector<std::uint8_t> sequential_ends(std::string_view text, std::string_view pattern, unsigned max_edits) {
  std::vector<unsigned> column = internal::first_column(pattern.size());
  std::vector<std::uint8_t> ends(text.size());
  for (std::size_t j = 0; j < text.size(); ++j) {
    internal::next_column(column, pattern, text[j]);
    ends[j] = column.back() <= max_edits;
  }
  return ends;
}

/// The substring text[begin, end) with the smallest distance to the pattern. If there are several, the one with the
/// leftmost end, then with the leftmost begin.
struct NearestSubstring {
  unsigned distance = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const NearestSubstring&) const = default;
};

/// The earliest position where a match can begin that ends before `end`, for a pattern of `m` characters and `distance`
/// edits.
constexpr std::uint64_t nearest_window(std::uint64_t end, std::uint64_t m, std::uint64_t distance) {
  return end > m + distance ? end - m - distance : 0;
}

/// Computes first the distances only, then, on the characters that the match can cover, where it begins.
inline NearestSubstring sequential_nearest(std::string_view text, std::string_view pattern) {
  const std::size_t m = pattern.size();
  NearestSubstring best{static_cast<unsigned>(m), 0, 0};
  if (text.empty()) {
    return best;
  }
  std::vector<unsigned> column = internal::first_column(m);
  for (std::size_t j = 0; j < text.size(); ++j) {
    internal::next_column(column, pattern, text[j]);
    if (j == 0 || column[m] < best.distance) {
      best = {column[m], 0, j + 1};
    }
  }

  struct Cell {
    unsigned distance;
    std::uint64_t begin;
    bool operator<(const Cell& o) const { return distance < o.distance || (distance == o.distance && begin < o.begin); }
  };
  const std::uint64_t first = nearest_window(best.end, m, best.distance);
  std::vector<Cell> cells(m + 1);
  for (std::size_t i = 0; i <= m; ++i) {
    cells[i] = {static_cast<unsigned>(i), first};
  }
  for (std::uint64_t j = first; j < best.end; ++j) {
    Cell diagonal = cells[0];
    cells[0] = {0, j + 1};
    for (std::size_t i = 1; i <= m; ++i) {
      const Cell substituted{diagonal.distance + (pattern[i - 1] != text[j]), diagonal.begin};
      diagonal = cells[i];
      const Cell inserted{cells[i].distance + 1, cells[i].begin};
      const Cell deleted{cells[i - 1].distance + 1, cells[i - 1].begin};
      cells[i] = std::min({substituted, inserted, deleted});
    }
  }
  best.begin = cells[m].begin;
  return best;
}

}  // namespace trawl::matchers
