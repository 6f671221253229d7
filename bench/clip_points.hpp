// The rule for clipped ends, as the oracle and the checks apply it.
#pragma once

#include <cstdint>

namespace trawl::bench {

/// What an edit costs, in bases left out: penalty = bases left out + kEditPoints * edits.
inline constexpr std::uint32_t kEditPoints = 5;

}  // namespace trawl::bench
