// The rule for clipped ends, as the oracle and the checks apply it.
#pragma once

#include <cstdint>

namespace trawl::bench {

/// What an edit costs, in bases left out: penalty = bases left out + kEditPoints * edits.
inline constexpr std::uint32_t kEditPoints = 5;

/// What a gap of trawl map --join costs, whatever its length.
inline constexpr std::uint32_t kLongGapPoints = 15;

}  // namespace trawl::bench
