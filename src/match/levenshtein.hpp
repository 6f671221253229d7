// The oracle: plain dynamic programming, simple rather than fast. Tests compare all other searches with it.
//
//   end_distances("ACGT", "TTACTTT") == {4, 3, 3, 3, 2, 1, 1, 2}       // at end positions 0 to 7
//   oracle_loci("ACGT", "TTACTTT", 1) == {{5, 6, 5, 1}}                 // the run 5 to 6; its end 5; distance 1
//   edit_distance("GATTACA", "GATACAT") == 2
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sequence/alphabet.hpp"

namespace trawl::match {

/// What an ambiguous base matches: nothing, or every base that it may stand for. Holds for the read and for the text.
enum class AmbiguityRule { matches_nothing, matches_its_set };

inline bool letters_match(char a, char b, AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  const auto set_a = sequence::iupac_set(a);
  const auto set_b = sequence::iupac_set(b);
  if (rule == AmbiguityRule::matches_its_set) {
    return (set_a & set_b) != 0;
  }
  const auto code = sequence::base_code(a);
  return code != sequence::kAmbiguous && code == sequence::base_code(b);
}

/// D(j) for j = 0..text.size(): the smallest edit distance between the whole read and any substring of the text that
/// ends after the first j letters (Sellers 1980). Takes O(|read| |text|) time.
inline std::vector<int> end_distances(std::string_view read, std::string_view text,
                                      AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  std::vector<int> column(read.size() + 1);
  for (std::size_t i = 0; i <= read.size(); ++i) {
    column[i] = static_cast<int>(i);
  }
  std::vector<int> distances{column.back()};
  for (const char t : text) {
    int diagonal = column[0];
    for (std::size_t i = 1; i <= read.size(); ++i) {
      const int substituted = diagonal + (letters_match(read[i - 1], t, rule) ? 0 : 1);
      diagonal = column[i];
      column[i] = std::min({substituted, column[i] + 1, column[i - 1] + 1});
    }
    distances.push_back(column.back());
  }
  return distances;
}

/// A longest possible run of consecutive end positions with D(j) <= e. `end` is the leftmost position in it with the
/// smallest D. A position is the number of letters up to the end, so the first possible end is 1.
struct OracleLocus {
  std::size_t run_begin = 0;
  std::size_t run_end = 0;  // the last position of the run
  std::size_t end = 0;
  int distance = 0;

  bool operator==(const OracleLocus&) const = default;
};

/// All loci of a read on one strand of one contig. A read that is not longer than e has none: it would match
/// everywhere. Positions j for which is_end(j) is false are no ends.
template <class IsEnd>
std::vector<OracleLocus> oracle_loci(std::string_view read, std::string_view text, int max_edits, AmbiguityRule rule,
                                     const IsEnd& is_end) {
  std::vector<OracleLocus> loci;
  if (read.size() <= static_cast<std::size_t>(max_edits)) {
    return loci;
  }
  const auto distances = end_distances(read, text, rule);
  for (std::size_t j = 1; j < distances.size(); ++j) {
    if (distances[j] > max_edits || !is_end(j)) {
      continue;
    }
    if (loci.empty() || loci.back().run_end + 1 != j) {
      loci.push_back({j, j, j, distances[j]});
    }
    auto& locus = loci.back();
    locus.run_end = j;
    if (distances[j] < locus.distance) {
      locus.distance = distances[j];
      locus.end = j;
    }
  }
  return loci;
}

inline std::vector<OracleLocus> oracle_loci(std::string_view read, std::string_view text, int max_edits,
                                            AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  return oracle_loci(read, text, max_edits, rule, [](std::size_t) { return true; });
}

/// The edit distance between two whole strings.
inline int edit_distance(std::string_view a, std::string_view b, AmbiguityRule rule = AmbiguityRule::matches_nothing) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = static_cast<int>(j);
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substituted = diagonal + (letters_match(a[i - 1], b[j - 1], rule) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace trawl::match
