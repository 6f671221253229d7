// The matchers of sets (lab/matchers/list.txt) on the device, in the stages of Kouzinopoulos, Michailidis and
// Margaritis 2015 ("Multiple string matching on a GPU using CUDA"). No CUDA header is needed to use this.
//
//   const matchers::PatternSet set({"ACA", "GATTACA"});
//   const DeviceText text("GATTACAGATTACA");
//   for (const GpuSetMatcher& matcher : gpu_set_matchers()) {
//     const auto prepared = matcher.prepare(set);
//     const GpuSetFound found = prepared->search(text, {.stage = SetStage::r16, .output = SetOutput::patterns});
//     found.count == 4;
//     found.patterns == std::vector<std::uint64_t>{2, 2};
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lab/kernels/device_text.hpp"
#include "lab/kernels/sets/set_plan.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"

namespace trawl::gpu {

using matchers::SetMatch;
using matchers::SetOutput;

struct GpuSetFound {
  std::uint64_t count = 0;              // whatever the output
  std::vector<std::uint64_t> threads;   // stretches: of each thread of the device, see SetPlan::thread_of()
  std::vector<std::uint64_t> patterns;  // patterns
  std::vector<SetMatch> positions;      // positions, if they are fetched: by end, then by pattern
  std::uint64_t hash = 0;               // positions: the sum of matchers::hash_of()
  std::vector<double> seconds;          // of each of the timed searches, with the tables and the text on the device
  SetPlan plan{};                       // as chosen
};

/// The tables of a matcher for a set of patterns, on the device.
class GpuPreparedSet {
 public:
  virtual ~GpuPreparedSet() = default;
  /// Runs to warm up, then `repeats` times; with 0, once and without a time. Throws UsageError if the device cannot do
  /// `work`, Error if there are more positions than work.room, CudaError.
  virtual GpuSetFound search(const DeviceText& text, const GpuSetWork& work, unsigned repeats = 0) const = 0;
  virtual std::uint64_t table_bytes() const = 0;

  double prepare_seconds = 0;  // for the tables, with their copy to the device
};

struct GpuSetMatcher {
  const matchers::SetFacts* facts;
  /// Throws UsageError for a set that is too large, CudaError.
  std::unique_ptr<GpuPreparedSet> (*prepare)(const matchers::PatternSet& set);
};

/// All matchers of sets, in the order of the list.
const std::vector<GpuSetMatcher>& gpu_set_matchers();

}  // namespace trawl::gpu
