// What the steps of `trawl scan` take on a device: the plan of a search is chosen by these, and by LiteralPlan::cost().
#pragma once

#include "scan/find/search_costs.hpp"

namespace trawl::gpu {

/// Measured on an H200. Rows: 1.3 Tbp/s for a pattern of 20 with 3 edits. Sites, words and guides: 312 to 100,000
/// guides of 20 with NGG on 1 Gbp. Places: 16,000 patterns of 20 and 32 with 2 and 3 edits.
inline constexpr scan::SearchCosts kDeviceCosts{.row = 2.4e-6,
                                                .site = 9e-4,
                                                .word = 6e-3,
                                                .guide = 2.8e-2,
                                                .guide_no_gaps = 1.2e-2,
                                                .place = 6e-2,
                                                .place_row = 2e-3};

}  // namespace trawl::gpu
