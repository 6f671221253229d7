// GBPR, the baseline of cuShiftOr: every thread runs Shift-Or or Wu-Manber by columns over its own 8 characters and, to
// begin right, the m + k - 1 before them (Mitani, Ino and Hagihara 2017, section 3).
#pragma once

#include <vector>

#include "gpu/matchers/device_text.hpp"
#include "matchers/paper_settings.hpp"

namespace trawl::gpu {

using matchers::GbprSettings;

/// Runs to warm up, then `repeats` times; the seconds of each run. Throws UsageError for settings out of range.
std::vector<double> run_gbpr(const DeviceText& text, const GbprSettings& settings, DeviceEnds& ends, unsigned repeats);

}  // namespace trawl::gpu
