// Runs a matcher (lab/matchers/matcher.hpp) on the device, with the kernel for its kind.
#pragma once

#include <string>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "lab/kernels/exact_kernel.cuh"
#include "lab/kernels/fixed_stretch_kernel.cuh"
#include "lab/kernels/gpu_matchers.hpp"
#include "lab/kernels/word_compare.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::gpu {

namespace internal {

enum class KernelKind { tiles, fixed_stretch, own };

template <class Matcher>
constexpr KernelKind kernel_kind() {
  if constexpr (requires { Matcher::kOwnKernel; }) {
    return KernelKind::own;
  } else if constexpr (Matcher::kFacts.most_edits > 0 || matchers::variant_count<Matcher>() > 1 ||
                       requires { Matcher::kGpuStretch; }) {
    return KernelKind::fixed_stretch;
  } else {
    return KernelKind::tiles;
  }
}

template <class Matcher>
std::unique_ptr<DeviceSearch> prepare_on_gpu(const MatcherSettings& settings, const GpuWork& work) {
  const MatcherSettings resolved = matchers::resolve(Matcher::kFacts, settings);
  double seconds = 0;
  Stopwatch watch;
  const auto table = matchers::prepare_table<Matcher>(resolved);
  watch.lap(seconds);
  constexpr KernelKind kKind = kernel_kind<Matcher>();
  if (kKind != KernelKind::tiles && !(work == GpuWork{})) {
    throw UsageError(std::string(Matcher::kFacts.name) +
                     " has a kernel of its own on the device: memory, stretch, threads and blocks are not to choose");
  }
  std::unique_ptr<DeviceSearch> search;
  if constexpr (kKind == KernelKind::tiles) {
    search = exact_search(exact_kernels<Matcher>(), table.get(), matchers::table_bytes<Matcher>(*table),
                          resolved.pattern.size(), work);
  } else if constexpr (kKind == KernelKind::own) {
    search = own_search(*table);
  } else {
    search = std::make_unique<FixedStretchSearch<Matcher>>(*table);
  }
  search->prepare_seconds += seconds;
  return search;
}

template <class Matcher>
constexpr GpuMatcher gpu_matcher() {
  return {matchers::checked_facts<Matcher>(), &prepare_on_gpu<Matcher>, kernel_kind<Matcher>() == KernelKind::tiles};
}

}  // namespace internal

}  // namespace trawl::gpu
