// Edit distance by rows with warp shuffles (Ho, Oh and Kim 2017). All cells of a row are computed at once, one text
// position a thread: with X the last position at or before j that holds the row's pattern character p_i,
//   D[i][j] = D[i-1][j-1]                                                             if X = j
//           = 1 + min(D[i-1][j], D[i-1][j-1], D[i-1][X-1] + j - 1 - X)               otherwise,
// the last term being i + j - 1 where p_i has not occurred. No cell waits for its left neighbour.
#pragma once

#include <string>
#include <vector>

#include "gpu/device_text.hpp"

namespace trawl::gpu {

enum class PasmVariant {
  pasm,           // rows in shared memory
  wspasm,         // neighbours by warp shuffle, X in global memory
  wspasm_shared,  // neighbours by warp shuffle, X in shared memory
};

struct PasmSettings {
  std::string pattern;     // any bytes; m + k at most 768
  unsigned max_edits = 0;  // k
  PasmVariant variant = PasmVariant::wspasm_shared;
};

/// ends[j] is 1 where D <= k. Runs to warm up, then `repeats` times; the seconds of each run, X included. Throws
/// UsageError for settings out of range.
std::vector<double> run_pasm(const DeviceText& text, const PasmSettings& settings, DeviceEnds& ends, unsigned repeats);

}  // namespace trawl::gpu
