// The hits that `trawl scan` must find, by plain dynamic programming.
#pragma once

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include "sequence/alphabet.hpp"

namespace trawl::tests {

/// IUPAC letters of a pattern match what they stand for. Those of the text match nothing, or what they may stand for.
inline bool pattern_matches(char pattern, char text, bool ambiguous_matches) {
  const bool is_base = sequence::base_code(text) != sequence::kAmbiguous;
  return (is_base || ambiguous_matches) && (sequence::iupac_set(pattern) & sequence::iupac_set(text)) != 0;
}

/// D(j) for j = 0..text.size(): the smallest edit distance between the whole pattern and any part of the text that ends
/// after the first j letters (Sellers 1980); with `anchored`, the part that begins with the text. Takes O(|pattern|
/// |text|) time. `match(a, b)`: whether these letters do.
template <class Match>
std::vector<int> distances_by(std::string_view pattern, std::string_view text, bool anchored, const Match& match) {
  std::vector<int> column(pattern.size() + 1);
  for (std::size_t i = 0; i <= pattern.size(); ++i) {
    column[i] = static_cast<int>(i);
  }
  std::vector<int> out{column.back()};
  for (const char c : text) {
    int diagonal = column[0];
    column[0] += anchored;
    for (std::size_t i = 1; i <= pattern.size(); ++i) {
      const int substituted = diagonal + (match(pattern[i - 1], c) ? 0 : 1);
      diagonal = column[i];
      column[i] = std::min({substituted, column[i] + 1, column[i - 1] + 1});
    }
    out.push_back(column.back());
  }
  return out;
}

/// Those of a pattern of IUPAC letters.
inline std::vector<int> pattern_distances(std::string_view pattern, std::string_view text, bool ambiguous_matches,
                                          bool anchored = false) {
  return distances_by(pattern, text, anchored,
                      [&](char p, char t) { return pattern_matches(p, t, ambiguous_matches); });
}

/// Whether a read is not searched: with e edits it matches whatever the text is, or it is expected at more than 1,000
/// of `positions` places (of both strands) by chance.
inline bool is_too_short(std::string_view read, std::size_t edits, std::size_t positions, bool gaps,
                         bool ambiguous_matches) {
  std::size_t letters = 0;  // that say something
  const auto places = static_cast<long double>(positions);
  long double probability = 1;  // of a match without edits
  for (const char c : read) {
    const int bases = ambiguous_matches ? std::popcount(unsigned{sequence::iupac_set(c)}) : 1;
    letters += bases < 4 ? 1 : 0;
    probability *= bases / 4.0L;
  }
  for (std::size_t i = 0; i < edits && i < letters; ++i) {
    probability *= (gaps ? 8.0L : 3.0L) * static_cast<long double>(letters - i) / static_cast<long double>(i + 1);
  }
  return letters <= edits || places * std::min(1.0L, probability) > 1000;
}

/// Whether so many letters of text[begin, end) are ambiguous that a pattern of m letters would match there with k edits
/// whatever the others are, or that they are more than `percent` of m.
inline bool leans_on_ambiguous(std::string_view text, std::size_t begin, std::size_t end, std::size_t m, std::size_t k,
                               std::size_t percent = 25) {
  const auto window = text.substr(begin, end - begin);
  const auto count = static_cast<std::size_t>(std::count_if(window.begin(), window.end(), [](char c) {
    return std::string_view("ACGTUacgtu").find(c) == std::string_view::npos;
  }));
  return count + k >= m || 100 * count > percent * m;
}

/// {end, D} for all ends with D <= k; an end is the number of letters up to it. If ambiguous letters match, ends are
/// left out that lean on too many of them, among the last pattern.size().
inline std::vector<std::pair<std::size_t, int>> oracle_ends(std::string_view pattern, std::string_view text, int k,
                                                            bool hamming, bool ambiguous_matches) {
  std::vector<std::pair<std::size_t, int>> ends;
  const auto distances = hamming ? std::vector<int>() : pattern_distances(pattern, text, ambiguous_matches);
  for (std::size_t end = hamming ? pattern.size() : 1; end <= text.size(); ++end) {
    int distance = 0;
    if (hamming) {
      for (std::size_t i = 0; i < pattern.size(); ++i) {
        distance += !pattern_matches(pattern[i], text[end - pattern.size() + i], ambiguous_matches);
      }
    } else {
      distance = distances[end];
    }
    const std::size_t begin = end - std::min(end, pattern.size());
    if (distance <= k &&
        !(ambiguous_matches && leans_on_ambiguous(text, begin, end, pattern.size(), static_cast<std::size_t>(k)))) {
      ends.emplace_back(end, distance);
    }
  }
  return ends;
}

}  // namespace trawl::tests
