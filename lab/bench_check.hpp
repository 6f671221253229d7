// Checks the result of an algorithm: it is compared with plain dynamic programming at places with matches and near
// misses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/bench_text.hpp"
#include "lab/matchers/sequential.hpp"

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

}  // namespace trawl::lab
