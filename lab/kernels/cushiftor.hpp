// cuShiftOr on the device: exact and approximate matching by inclusive scan (Mitani, Ino and Hagihara 2017). The scan
// itself is lab/matchers/cushiftor_cascade.hpp.
//
//   DeviceText text("...");
//   DeviceEnds ends(text.size(), Output::bytes);
//   const auto seconds = run_cushiftor(text, {.pattern = "ACGT", .max_edits = 1}, ends, 5);
//   ends.fetch(0, text.size())      // 1 if a match with at most one edit ends there
#pragma once

#include <vector>

#include "lab/kernels/device_text.hpp"
#include "lab/matchers/cushiftor_settings.hpp"

namespace trawl::gpu {

using matchers::CuShiftOrSettings;

/// Runs to warm up, then `repeats` times; returns the seconds of each of these runs. `ends` must be made for this text.
std::vector<double> run_cushiftor(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                  unsigned repeats);

}  // namespace trawl::gpu
