// Approximate string matching on the hierarchical memory machine (Man, Nakano and Ito 2013): the smallest edit distance
// between a pattern X and any substring of a text Y, and where. Y is cut into D parts of S + 2m characters that overlap
// by 2m; a block computes the table of one part by anti-diagonals, its threads meeting in shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/device_text.hpp"

namespace trawl::gpu {

struct AsmSettings {
  std::string pattern;           // X: 1 to 2,048 characters
  unsigned parts = 0;            // D; 0: chosen
  unsigned rows_per_thread = 0;  // 1 (the paper's), 2, 4 or 8; 0: chosen
};

/// The best match: X against Y[begin, end) has `distance` edits. Of several, the leftmost end, then the leftmost begin.
struct AsmMatch {
  unsigned distance = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct AsmRun {
  AsmMatch match;
  std::vector<double> seconds;  // of each run, finding the place included
  unsigned parts = 0;
  unsigned rows_per_thread = 0;
  std::uint64_t cells = 0;  // computed by a run, overlaps included
};

/// Runs to warm up, then `repeats` times. Throws UsageError for settings out of range.
AsmRun run_asm_hmm(const DeviceText& text, const AsmSettings& settings, unsigned repeats);

}  // namespace trawl::gpu
