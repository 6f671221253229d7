// Which exact matchers `trawl-bench exact` runs.
#pragma once

#include <string>
#include <vector>

#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::lab {

/// The code of the row of Trawl's own scan.
inline constexpr const char* kTrawlScan = "trawl-scan";

/// A matcher of the list that has a code, or trawl-scan.
struct ExactAlgorithm {
  const matchers::MatcherFacts* facts;
  const matchers::CpuMatcher* on_cpu;  // nullptr: not a matcher of the CPU, or trawl-scan
  bool on_cuda;                        // in a build with CUDA; trawl-scan: always

  std::string code() const { return facts->code; }
  bool is_gpu_only() const { return on_cpu == nullptr && !is_trawl_scan(); }
  bool is_trawl_scan() const { return facts->code == std::string(kTrawlScan); }
};

/// All of them, also those that this build cannot run, sorted by code; trawl-scan is the last.
const std::vector<ExactAlgorithm>& exact_algorithms();

/// Those with these codes or names, in this order; "all": all that the engine has. Throws UsageError for an unknown
/// one, which names those with similar codes, and for one that the engine does not have.
std::vector<ExactAlgorithm> choose_algorithms(const std::vector<std::string>& words, bool on_device);

/// The end of a message about `word`, which is none of the `commands` of trawl-bench: "; it is an exact matcher: ...",
/// commands or exact matchers with similar names, or "".
std::string instead_of_command(const std::string& word, const std::vector<std::string>& commands);

}  // namespace trawl::lab
