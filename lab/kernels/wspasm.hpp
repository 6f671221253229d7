// Edit distance by rows (Ho, Oh and Kim 2017), without (PASM) and with warp shuffles (WsPASM). All cells of a row are
// computed at once: with X the last position at or before j that holds the row's pattern character p_i,
//   D[i][j] = D[i-1][j-1]                                                             if X = j
//           = 1 + min(D[i-1][j], D[i-1][j-1], D[i-1][X-1] + j - 1 - X)               otherwise,
// where the last term is i + j - 1 if p_i has not occurred. So no cell waits for its left neighbour. PASM has one text
// position per thread; for WsPASM see lab/matchers/wspasm_segment.hpp.
#pragma once

#include <vector>

#include "lab/kernels/device_text.hpp"
#include "lab/matchers/paper_settings.hpp"

namespace trawl::gpu {

using matchers::PasmSettings;
using matchers::PasmVariant;

/// ends[j] is 1 if D <= k. Runs to warm up, then `repeats` times; returns the seconds of each of these runs, with the
/// time to compute X. Throws UsageError if settings are out of range.
std::vector<double> run_pasm(const DeviceText& text, const PasmSettings& settings, DeviceEnds& ends, unsigned repeats);

}  // namespace trawl::gpu
