// The checks of results. A pattern with edits: plain dynamic programming at places with matches and near misses. Exact
// patterns: a rolling hash and a hash table of the patterns of each length.
//
//   expected_ends("AAACAA", "AA") == {1, 2, 5}
//   fault_of({3, {1, 2, 5}}, Output::list, {1, 2, 5}) == ""
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench_text.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"

namespace trawl::lab {

/// Positions that are compared in one window.
inline constexpr std::uint64_t kCheckedPositions = std::uint64_t{1} << 18;

/// A part of a text.
struct Window {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Where results over `size` characters are compared. In a short text: everywhere. In a long text: at its beginning, at
/// one third (where cut_pattern() cuts), in the middle and at its end.
std::vector<Window> checked_windows(std::uint64_t size);

/// Returns a part of a text with `max_edits` of its letters changed, if it has more than one different letter.
std::string changed_in_places(std::string piece, unsigned max_edits);

/// The part at one third of the text, with max_edits letters changed. Throws UsageError if the length is not possible.
std::string cut_pattern(const BenchText& text, unsigned m, unsigned max_edits);

/// For a random text: copies of the pattern with 0 to max_edits + 1 edits. There are many in each checked window. Half
/// of them cross a multiple of 512, where segments and blocks meet. One copy is cut off by the beginning of the text,
/// and one ends at the end of the text.
std::vector<Plant> plants_for(const BenchText& text, const std::string& pattern, unsigned max_edits);

/// For each of `count` positions from `first` on: 1 if a match ends there, otherwise 0.
using FetchEnds = std::function<std::vector<std::uint8_t>(std::uint64_t first, std::uint64_t count)>;

/// Throws Error if the ends in the windows differ from those of plain dynamic programming.
void check_ends(const BenchText& text, const std::string& pattern, unsigned max_edits, const FetchEnds& ends);

/// Throws Error if plain dynamic programming does not find the same substring around its place, or finds a nearer one
/// in the windows.
void check_nearest(const BenchText& text, const std::string& pattern, const matchers::NearestSubstring& found);

/// The positions where a match ends, ascending, found by all threads.
///
///   expected_ends("AAACAA", "AA") == {1, 2, 5}
std::vector<std::uint64_t> expected_ends(std::string_view text, std::string_view pattern);

/// A result in the one form that all have in common.
struct FoundEnds {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> list;  // the positions, as far as the form has them
  std::string wrong = {};           // what is wrong with the form
};

/// A result of the form `output` for a text of `size` characters; the other forms are empty.
template <class Word>
FoundEnds found_ends(matchers::Output output, std::uint64_t size, std::uint64_t count,
                     const std::vector<std::uint8_t>& bytes, const std::vector<Word>& bits,
                     const std::vector<std::uint64_t>& list) {
  constexpr std::uint64_t kBits = 8 * sizeof(Word);
  FoundEnds found{count, list};
  if (bytes.size() != (output == matchers::Output::bytes ? size : 0) ||
      bits.size() != (output == matchers::Output::bits ? (size + kBits - 1) / kBits : 0) ||
      (output != matchers::Output::list && !list.empty())) {
    found.wrong = "its result has another size than the text, or another form";
  }
  for (std::uint64_t j = 0; j < bytes.size(); ++j) {
    if (bytes[j] != 0) {
      found.list.push_back(j);
      found.wrong = bytes[j] == 1 ? found.wrong : "a byte is not 0 or 1";
    }
  }
  for (std::uint64_t j = 0; j < kBits * bits.size(); ++j) {
    if ((bits[j / kBits] >> (j % kBits) & 1) != 0) {
      found.list.push_back(j);
    }
  }
  return found;
}

/// What is wrong with a result; empty: nothing.
std::string fault_of(const FoundEnds& found, matchers::Output output, const std::vector<std::uint64_t>& expected);

/// Throws Error, with `who` as its first word, if something is.
void check_found(const std::string& who, const FoundEnds& found, matchers::Output output,
                 const std::vector<std::uint64_t>& expected);

struct ExpectedSet {
  std::uint64_t count = 0;
  std::uint64_t digest = 0;              // as digest_of() says
  std::vector<std::uint64_t> patterns;   // occurrences of each pattern
  std::vector<std::uint64_t> stretches;  // occurrences that end in each stretch
};

/// The sum of a hash of each occurrence, modulo 2^64, so that their order does not matter.
std::uint64_t digest_of(const std::vector<matchers::SetMatch>& matches);

/// On all threads. `stretch`: characters of a stretch.
ExpectedSet expected_set(std::string_view text, const matchers::PatternSet& set, std::uint64_t stretch);

/// Throws Error, with `who` and what differs, unless `found` is right in all that `output` asks for. Stretches are
/// compared if they are of the same length. `digest`: of the positions.
void check_set(const std::string& who, const matchers::SetFound& found, matchers::SetOutput output,
               const ExpectedSet& expected, std::uint64_t stretch, std::uint64_t digest = 0);

}  // namespace trawl::lab
