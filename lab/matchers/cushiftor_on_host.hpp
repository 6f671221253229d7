// cuShiftOr over a whole text on the host: the CPU twins of lab/kernels/cushiftor_words.cuh, block by block, warp by
// warp or stretch by stretch, and of lab/kernels/cushiftor_exact.cu.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/paper_settings.hpp"

namespace trawl::matchers {

/// ends[j] is 1 if a match ends at position j. `settings` must come from resolve(). `warps`: the number of warps of a
/// block; with streamed segments, the number of segments that a warp takes.
std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, const CuShiftOrSettings& settings,
                                            unsigned warps = 8);

/// The same for k = 0 with the exact cascade. `stretch`: how many tiles a warp takes. The pattern must have 1 to 64
/// characters.
std::vector<std::uint8_t> exact_on_host(std::string_view text, std::string_view pattern, std::size_t stretch);

/// Cuts a text into segments, of kLength characters, for warps that each take `stretch` of them, and begin `early` ones
/// before. start() makes a warp's part; part(begin) takes the segment there, and returns for each of its characters
/// whether a match ends there, by its number in the segment.
template <std::size_t kLength>
std::vector<std::uint8_t> ends_by_stretches(std::string_view text, std::size_t stretch, std::size_t early,
                                            auto&& start) {
  const std::size_t segments = (text.size() + kLength - 1) / kLength;
  std::vector<std::uint8_t> ends(text.size());
  for (std::size_t first = 0; first < segments; first += stretch) {
    auto part = start();
    for (std::size_t s = first - std::min(first, early); s < std::min(segments, first + stretch); ++s) {
      const std::size_t begin = s * kLength;
      const auto is_end = part(begin);
      for (std::size_t i = 0; s >= first && i < kLength && begin + i < text.size(); ++i) {
        ends[begin + i] = is_end(i);
      }
    }
  }
  return ends;
}

}  // namespace trawl::matchers
