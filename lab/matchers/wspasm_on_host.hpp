// WsPASM over a whole text on the host, stretch by stretch: the CPU twin of WsPASM in lab/kernels/wspasm.cu.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/wspasm_segment.hpp"

namespace trawl::matchers {

/// ends[j] is 1 if a match of `pattern` with at most `max_edits` edits ends at text position j. `stretch`: the number
/// of segments, of 32 * kColumns columns each, that one warp computes.
template <unsigned kColumns = kRowColumns>
std::vector<std::uint8_t> wspasm_on_host(std::string_view text, std::string_view pattern, unsigned max_edits,
                                         std::size_t stretch) {
  using Segment = WspasmSegment<match::HostWarp, kColumns>;
  const match::HostWarp warp;
  const std::size_t m = pattern.size();
  const std::size_t segments = (text.size() + Segment::kLength - 1) / Segment::kLength;
  const std::size_t early = (m + max_edits + Segment::kLength - 1) / Segment::kLength;
  std::vector<std::uint8_t> ends(text.size());
  std::vector<std::int32_t> before(m + 1), after(m + 1);
  for (std::size_t first = 0; first < segments; first += stretch) {
    const std::size_t from = first - std::min(first, early);
    for (std::size_t i = 0; i <= m; ++i) {
      before[i] = static_cast<std::int32_t>(i);
    }
    Segment segment(warp);
    for (std::size_t s = from; s < std::min(segments, first + stretch); ++s) {
      const std::size_t begin = s * Segment::kLength;
      segment.start(before[0]);
      for (std::size_t i = 1; i <= m; ++i) {
        const auto here = warp.map(
            [&](unsigned lane, unsigned) {
              std::uint32_t bits = 0;
              for (unsigned c = 0; c < kColumns; ++c) {
                const std::size_t j = begin + lane * kColumns + c;
                bits |= std::uint32_t{j < text.size() && text[j] == pattern[i - 1]} << c;
              }
              return bits;
            },
            warp.spread(0u));
        after[i] = segment.row(segment.last_occurrence(here), before[i - 1], before[i]).back();
      }
      after[0] = before[0] - static_cast<std::int32_t>(Segment::kLength);
      const auto found = segment.ends(before[0], static_cast<std::int32_t>(max_edits));
      for (std::size_t j = begin; s >= first && j < std::min(text.size(), begin + Segment::kLength); ++j) {
        ends[j] = (found[(j - begin) / kColumns] >> ((j - begin) % kColumns)) & 1;
      }
      before.swap(after);
    }
  }
  return ends;
}

}  // namespace trawl::matchers
