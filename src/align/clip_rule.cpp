#include "align/clip_rule.hpp"

#include <algorithm>

namespace trawl::align {

PieceLimits piece_limits(std::uint32_t length, std::uint32_t clip,
                         const std::function<std::uint32_t(std::uint32_t)>& max_edits) {
  const std::uint32_t most = length == 0 ? 0 : std::min({clip, (length - 1) / 2, kMostClipped});
  PieceLimits limits{length, {most}};
  // The smallest length for x edits only grows with x.
  std::uint32_t smallest = length - most;
  for (std::uint32_t x = 1;; ++x) {
    while (smallest <= length && (smallest <= x || max_edits(smallest) < x)) {
      ++smallest;
    }
    if (smallest > length) {
      return limits;
    }
    limits.most_clipped.push_back(length - smallest);
  }
}

}  // namespace trawl::align
