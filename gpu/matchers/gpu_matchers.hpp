// The matchers of src/matchers/list.txt on the device. No CUDA header is needed to use this.
//
//   DeviceText text("GATTACAGATTACA");
//   DeviceEnds ends(text.size(), Output::bytes);
//   const auto seconds = run_matcher("shift-or", text, {.pattern = "ACA"}, ends, 5);
//   ends.fetch(0, text.size())      // 1 if a match ends there
#pragma once

#include <string_view>
#include <vector>

#include "gpu/matchers/device_text.hpp"
#include "matchers/matcher.hpp"

namespace trawl::gpu {

using matchers::MatcherSettings;

struct GpuMatcher {
  const matchers::MatcherFacts* facts;
  /// Runs to warm up, then `repeats` times; returns the seconds of each of these runs. `ends` must be made for this
  /// text. Throws UsageError if the matcher does not take these settings, CudaError.
  std::vector<double> (*run)(const DeviceText& text, const MatcherSettings& settings, DeviceEnds& ends,
                             unsigned repeats);
};

/// All matchers, in the order of the list.
const std::vector<GpuMatcher>& gpu_matchers();

/// Calls run() of the matcher with this name. Throws UsageError if there is none.
std::vector<double> run_matcher(std::string_view name, const DeviceText& text, const MatcherSettings& settings,
                                DeviceEnds& ends, unsigned repeats);

}  // namespace trawl::gpu
