// What the steps of `trawl scan` take on a device: the plan of a search is chosen by these.
#pragma once

#include "scan/find/search_costs.hpp"

namespace trawl::gpu {

/// An H200; estimated from operations, except for rows: 1.3 Tbp/s for a pattern of 20 with 3 edits.
inline constexpr scan::SearchCosts kDeviceCosts{.row = 2.4e-6,
                                                .site = 2e-4,
                                                .word = 8e-3,
                                                .guide = 3e-2,
                                                .guide_no_gaps = 6e-3,
                                                .place = 2e-2,
                                                .place_row = 1.2e-3};

}  // namespace trawl::gpu
