// cushiftor_on_host() for settings that are known only when the program runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "matchers/cushiftor_cascade.hpp"

namespace trawl::matchers {

/// word_bits 32, 64 or kExactBits (which needs what resolve() asks for); alpha 1, 2, 4, 8 or 16; max_edits 0 to 8.
/// Wildcards and overlapping segments as cushiftor_on_host() asks.
std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, std::string_view pattern, unsigned word_bits,
                                            unsigned alpha, unsigned max_edits, bool wildcards, Segments segments);

}  // namespace trawl::matchers
