// The CPU twin of gpu/gbpr.cu: every 8 characters on their own, with the m + k - 1 before them to begin right.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "match/pattern_masks.hpp"
#include "match/wu_manber.hpp"

namespace trawl::match {

/// ends[j] is 1 where a match of `pattern` (1 to 64 characters) with at most `max_edits` <= 8 edits ends at position j.
inline std::vector<std::uint8_t> segmented_ends(std::string_view text, std::string_view pattern, unsigned max_edits) {
  constexpr std::size_t kSegment = 8;
  const auto masks = pattern_masks<std::uint64_t>(pattern);
  const auto m = static_cast<unsigned>(pattern.size());
  const std::size_t reach = m - 1 + max_edits;
  std::vector<std::uint8_t> ends(text.size());
  for (std::size_t begin = 0; begin < text.size(); begin += kSegment) {
    std::array<std::uint64_t, 9> levels;
    WuManber<std::uint64_t>::start(levels.data(), max_edits);
    for (std::size_t j = begin > reach ? begin - reach : 0; j < text.size() && j < begin + kSegment; ++j) {
      WuManber<std::uint64_t>::step(levels.data(), max_edits, masks[static_cast<unsigned char>(text[j])]);
      if (j >= begin) {
        ends[j] = WuManber<std::uint64_t>::distance(levels.data(), max_edits, m) <= max_edits;
      }
    }
  }
  return ends;
}

}  // namespace trawl::match
