// Approximate string matching on the hierarchical memory machine (Man, Nakano and Ito 2013). It finds the smallest edit
// distance between a pattern X and any substring of a text Y, and where this substring is. Y is cut into D parts of S +
// 2m characters that overlap by 2m. A block computes the table of one part by anti-diagonals; its threads exchange
// values through shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/kernels/device_text.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/sequential.hpp"

namespace trawl::gpu {

using matchers::AsmSettings;

struct AsmRun {
  matchers::NearestSubstring match;
  std::vector<double> seconds;  // of each run, with the time to find the place
  unsigned parts = 0;
  unsigned rows_per_thread = 0;
  std::uint64_t cells = 0;  // computed by one run, with overlaps
};

/// Runs to warm up, then `repeats` times. Throws UsageError if settings are out of range.
AsmRun run_asm_hmm(const DeviceText& text, const AsmSettings& settings, unsigned repeats);

}  // namespace trawl::gpu
