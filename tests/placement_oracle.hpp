// The oracle of placements: in how many ways a read lies in a locus (docs/map.md). It is plain dynamic programming,
// written from the rule in align/placements.hpp, and does not use the code of any engine.
//
//   const std::string read = "GGAATGGAAT", text = "CCGGAATGGAATGGAATCC";
//   oracle_placements(read, text, oracle_loci(read, text, 5)[0], 5) == {{12, 12, 0}, {17, 17, 0}}
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tests/alignment_oracle.hpp"

namespace trawl::tests {

/// Positions are as in match::OracleLocus.
struct OraclePlacement {
  std::size_t end = 0;
  std::size_t last_end = 0;  // its alignment ends at one of end .. last_end, with the same distance
  int distance = 0;

  bool operator==(const OraclePlacement&) const = default;
};

/// The placements of a locus with up to two edits more than its distance, and at most `max_edits`, ascending.
inline std::vector<OraclePlacement> oracle_placements(
    std::string_view read, std::string_view whole_text, const match::OracleLocus& locus, int max_edits,
    match::AmbiguityRule rule = match::AmbiguityRule::matches_nothing) {
  const int most = std::min(locus.distance + 2, max_edits);
  const std::size_t reach = read.size() + static_cast<std::size_t>(most);
  const std::size_t first = locus.run_begin > reach ? locus.run_begin - reach : 0;
  const std::string_view text = whole_text.substr(first, locus.run_end - first);
  const std::vector<int> distances = match::end_distances(read, text, rule);
  const std::size_t run_begin = locus.run_begin - first;
  const std::size_t run_end = locus.run_end - first;

  struct End {
    bool covered = false;
    bool is_placement = false;
    bool follows = false;
  };
  std::vector<End> ends(run_end + 1);
  const auto mismatches = [&](std::size_t end) {
    int count = 0;
    for (std::size_t i = 0; i < read.size(); ++i) {
      count += !match::letters_match(read[i], text[end - read.size() + i], rule);
    }
    return count;
  };
  const auto cover = [&](std::size_t start, std::size_t end, bool gapped) {
    const std::vector<int> from = match::end_distances(read, text.substr(start), rule, true);
    for (std::size_t k = std::max(run_begin, start); k <= run_end; ++k) {
      if (!ends[k].covered && distances[k] <= most && from[k - start] == distances[k]) {
        ends[k].covered = true;
        ends[k].follows = gapped && k > end && distances[k] == distances[end];
      }
    }
  };
  for (int distance = locus.distance; distance <= most; ++distance) {
    std::vector<std::size_t> without_gap;
    for (std::size_t end = std::max(run_begin, read.size()); end <= run_end; ++end) {
      if (distances[end] == distance && !ends[end].covered && mismatches(end) == distance) {
        ends[end] = {true, true, false};
        without_gap.push_back(end);
      }
    }
    for (const std::size_t end : without_gap) {
      cover(end - read.size(), end, false);
    }
    for (std::size_t end = run_begin; end <= run_end; ++end) {
      if (distances[end] != distance || ends[end].covered) {
        continue;
      }
      ends[end] = {true, true, false};
      for (int away = 0; away <= 2 * distance; ++away) {  // 0, 1, -1, 2, -2, ..
        const int shift = away % 2 == 0 ? -away / 2 : (away + 1) / 2;
        const auto start = static_cast<std::ptrdiff_t>(end - read.size()) + shift;
        if (start >= 0 && static_cast<std::size_t>(start) <= end &&
            match::end_distances(read, text.substr(static_cast<std::size_t>(start)), rule,
                                 true)[end - static_cast<std::size_t>(start)] == distance) {
          cover(static_cast<std::size_t>(start), end, true);
          break;
        }
      }
    }
  }
  std::vector<OraclePlacement> placements;
  for (std::size_t end = run_begin; end <= run_end; ++end) {
    if (!ends[end].is_placement) {
      continue;
    }
    std::size_t last = end;
    for (std::size_t k = end + 1; k <= run_end && !ends[k].is_placement; ++k) {
      last = ends[k].follows && distances[k] == distances[end] ? k : last;
    }
    placements.push_back({first + end, first + last, distances[end]});
  }
  return placements;
}

}  // namespace trawl::tests
