// The CPU twin of gpu/matchers/gbpr.cu: every 8 characters on their own, with the m + k - 1 before them, rounded up to
// whole loads, to begin right.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "matchers/paper_settings.hpp"
#include "matchers/pattern_masks.hpp"
#include "matchers/wu_manber.hpp"

namespace trawl::matchers {

/// ends[j] is 1 where a match with at most max_edits edits ends at position j. `settings` as resolve() gives them.
inline std::vector<std::uint8_t> gbpr_on_host(std::string_view text, const GbprSettings& settings) {
  constexpr std::size_t kSegment = 8;
  const auto masks = pattern_masks<std::uint64_t>(settings.pattern);
  const auto m = static_cast<unsigned>(settings.pattern.size());
  const unsigned max_edits = settings.max_edits;
  const std::size_t reach = (m - 1 + max_edits + settings.alpha - 1) / settings.alpha * settings.alpha;
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

}  // namespace trawl::matchers
