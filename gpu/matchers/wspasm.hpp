// Edit distance by rows (Ho, Oh and Kim 2017), without (PASM) and with warp shuffles (WsPASM). All cells of a row are
// computed at once: with X the last position at or before j that holds the row's pattern character p_i,
//   D[i][j] = D[i-1][j-1]                                                             if X = j
//           = 1 + min(D[i-1][j], D[i-1][j-1], D[i-1][X-1] + j - 1 - X)               otherwise,
// the last term being i + j - 1 where p_i has not occurred. No cell waits for its left neighbour. PASM
// has one text position a thread; for WsPASM see matchers/wspasm_segment.hpp.
#pragma once

#include <vector>

#include "gpu/matchers/device_text.hpp"
#include "matchers/paper_settings.hpp"

namespace trawl::gpu {

using matchers::PasmSettings;
using matchers::PasmVariant;

/// ends[j] is 1 where D <= k. Runs to warm up, then `repeats` times; the seconds of each run, X included. Throws
/// UsageError for settings out of range.
std::vector<double> run_pasm(const DeviceText& text, const PasmSettings& settings, DeviceEnds& ends, unsigned repeats);

}  // namespace trawl::gpu
