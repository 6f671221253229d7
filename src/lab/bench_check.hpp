// Whether an algorithm's result is right: compared with plain dynamic programming at places where there are matches and
// near misses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/bench_text.hpp"
#include "matchers/sequential.hpp"

namespace trawl::lab {

/// Positions compared in one window.
inline constexpr std::uint64_t kCheckedPositions = std::uint64_t{1} << 18;

/// Part of a text.
struct Window {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Where results over `size` characters are compared: everything in a short text; in a long one at its begin, at a
/// third, where cut_pattern() cuts, in the middle and at its end.
std::vector<Window> checked_windows(std::uint64_t size);

/// A piece of a text with `max_edits` of its places changed, if it has more than one letter.
std::string changed_in_places(std::string piece, unsigned max_edits);

/// The piece at a third of the text, changed in max_edits places. Throws UsageError for a length that cannot be.
std::string cut_pattern(const BenchText& text, unsigned m, unsigned max_edits);

/// For a made text: copies of the pattern with 0 to max_edits + 1 edits, many in each checked window, half of them
/// across a multiple of 512, where segments and blocks meet; one cut off by the text's begin, and one that ends with
/// it.
std::vector<Plant> plants_for(const BenchText& text, const std::string& pattern, unsigned max_edits);

/// 0 or 1 for each of `count` positions from `first`: whether a match ends there.
using FetchEnds = std::function<std::vector<std::uint8_t>(std::uint64_t first, std::uint64_t count)>;

/// Throws Error where the ends in the windows differ from those of plain dynamic programming.
void check_ends(const BenchText& text, const std::string& pattern, unsigned max_edits, const FetchEnds& ends);

/// Throws Error where the substring is not what plain dynamic programming finds around it, or is further than what it
/// finds in the windows.
void check_nearest(const BenchText& text, const std::string& pattern, const matchers::NearestSubstring& found);

}  // namespace trawl::lab
