// What is right. A pattern: dynamic programming over the whole text. A set of exact patterns: a rolling hash and a hash
// table of the patterns of each length. Both on all threads.
//
//   std::vector<std::uint64_t> ends = ends_of("AAACAA", "AA", 0);     // {1, 2, 5}
//   digest_of_ends("AAACAA", "AA", 0) == digest_of(ends)
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench_text.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"

namespace trawl::lab {

/// Returns a part of a text with `max_edits` of its letters changed, if it has more than one different letter.
std::string changed_in_places(std::string piece, unsigned max_edits);

/// For a random text: copies of the pattern with 0 to max_edits + 1 edits, at most some thousand. Half of them cross a
/// multiple of 512, where segments and blocks meet. One copy is cut off by the beginning of the text, and one ends at
/// the end of the text.
std::vector<Plant> plants_for(const BenchText& text, const std::string& pattern, unsigned max_edits);

/// Calls f(j) for every position j in [begin, end) where a match of `pattern` with at most `max_edits` edits ends, in
/// ascending order. The table of dynamic programming, column by column, of which only the rows are computed that can
/// lead to a match (Ukkonen 1985): those up to one after the last that has at most `max_edits` edits.
template <class F>
void for_each_end(std::string_view text, std::string_view pattern, unsigned max_edits, std::uint64_t begin,
                  std::uint64_t end, F&& f) {
  const std::size_t m = pattern.size();
  std::vector<unsigned> column(m + 1);
  std::iota(column.begin(), column.end(), 0u);
  std::size_t last = std::min<std::size_t>(max_edits, m);  // row with at most max_edits edits
  for (std::uint64_t j = begin - std::min<std::uint64_t>(begin, m + max_edits); j < end; ++j) {
    unsigned diagonal = 0;
    const std::size_t rows = std::min(m, last + 1);
    for (std::size_t i = 1; i <= rows; ++i) {
      const unsigned before = i <= last ? column[i] : max_edits + 1;
      column[i] = std::min({diagonal + (pattern[i - 1] != text[j] ? 1u : 0u), before + 1, column[i - 1] + 1});
      diagonal = before;
    }
    for (last = rows; column[last] > max_edits;) {
      --last;
    }
    if (last == m && j >= begin) {
      f(j);
    }
  }
}

/// The positions where a match ends, ascending; by one thread.
std::vector<std::uint64_t> ends_of(std::string_view text, std::string_view pattern, unsigned max_edits);

/// Their digest, by all threads.
matchers::EndsDigest digest_of_ends(std::string_view text, std::string_view pattern, unsigned max_edits);

matchers::EndsDigest digest_of(const std::vector<std::uint64_t>& positions);
/// Of a result with a byte for each position. A byte that is neither 0 nor 1 makes it wrong.
matchers::EndsDigest digest_of(const std::vector<std::uint8_t>& bytes);

/// Throws Error, with `who` as its first word, if they differ.
void check_ends(const std::string& who, const matchers::EndsDigest& found, const matchers::EndsDigest& expected);

struct ExpectedSet {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> patterns;   // occurrences of each pattern
  std::vector<std::uint64_t> stretches;  // occurrences that end in each stretch
};

/// `stretch`: characters of a stretch.
ExpectedSet expected_set(std::string_view text, const matchers::PatternSet& set, std::uint64_t stretch);

/// Throws Error, with `who` and what differs, unless `found` is right in all that `output` asks for. Stretches are
/// compared if they are of the same length.
void check_set(const std::string& who, const matchers::SetFound& found, matchers::SetOutput output,
               const ExpectedSet& expected, std::uint64_t stretch);

}  // namespace trawl::lab
