// The matchers of list.txt on the CPU.
//
//   for (const CpuMatcher& matcher : cpu_matchers()) {
//     if (std::string(matcher.facts->name) == "shift-or") {
//       matcher.run("GATTACAGATTACA", {.pattern = "ACA"}, {}).ends == {0,0,0,0,0,0,1,0,0,0,0,0,0,1}
//     }
//   }
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "matchers/matcher.hpp"

namespace trawl::matchers {

/// How to search a text.
struct CpuWork {
  bool all_threads = false;   // use all threads of oneTBB
  std::uint64_t stretch = 0;  // characters per call of scan(); 0: the whole text on one thread, 65,536 on all threads
  bool distances = false;     // store the distances
};

/// Stands for a distance that the matcher does not report.
inline constexpr std::uint8_t kNoDistance = 0xFF;

struct CpuEnds {
  std::vector<std::uint8_t> ends;       // 1 if a match ends at this position, else 0
  std::vector<std::uint8_t> distances;  // only if stored: the distance of the match that ends here, or kNoDistance
};

struct CpuMatcher {
  const MatcherFacts* facts;
  /// Throws UsageError for settings that the matcher does not support.
  CpuEnds (*run)(std::string_view text, const MatcherSettings& settings, const CpuWork& how);
};

/// All matchers, in the order of list.txt.
const std::vector<CpuMatcher>& cpu_matchers();

}  // namespace trawl::matchers
