// cuShiftOr on the host for settings that are known only when the program runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/matchers/cushiftor_settings.hpp"

namespace trawl::matchers {

/// ends[j] is 1 if a match ends at position j. `settings` must come from resolve(). `warps`: the number of warps of a
/// block; with streamed segments, the number of segments that a warp takes.
std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, const CuShiftOrSettings& settings,
                                            unsigned warps = 8);

namespace internal {

// One function for each word and kind of segments, so that they can be compiled in parallel.
std::vector<std::uint8_t> cushiftor_streamed_32(std::string_view text, const CuShiftOrSettings& settings,
                                                unsigned warps);
std::vector<std::uint8_t> cushiftor_streamed_64(std::string_view text, const CuShiftOrSettings& settings,
                                                unsigned warps);
std::vector<std::uint8_t> cushiftor_blocks_32(std::string_view text, const CuShiftOrSettings& settings, unsigned warps);
std::vector<std::uint8_t> cushiftor_blocks_64(std::string_view text, const CuShiftOrSettings& settings, unsigned warps);

}  // namespace internal

}  // namespace trawl::matchers
