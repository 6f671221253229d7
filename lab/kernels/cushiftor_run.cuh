// Runs cuShiftOr with its tables in device memory; the caller chooses the kernel.
#pragma once

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/cushiftor.hpp"
#include "lab/kernels/device_text_state.hpp"
#include "lab/matchers/cushiftor_cascade.hpp"

namespace trawl::gpu {

/// Measures the time of launch(masks, m, out, stream).
template <class Word, class Launch>
std::vector<double> run_cushiftor_words(const DeviceText& text, const CuShiftOrSettings& s, DeviceEnds& ends,
                                        unsigned repeats, Launch&& launch) {
  const auto host_masks = matchers::cascade_masks<Word>(s.pattern, s.wildcards ? s.alpha - 1 : 0);
  const auto m = static_cast<unsigned>(s.pattern.size());
  const Stream stream;
  DeviceBuffer<Word> masks(host_masks.size());
  masks.copy_from(host_masks.data(), host_masks.size(), stream);
  auto& state = ends.state();
  return state.time(text, stream, repeats, [&] { launch(masks.data(), m, state.view(), stream); });
}

}  // namespace trawl::gpu
