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

/// How a text is searched.
struct CpuWork {
  bool all_threads = false;   // oneTBB's
  std::uint64_t stretch = 0;  // characters that scan() gets at a time; 0: on one thread the whole text, else 65,536
  bool distances = false;     // keep them
};

/// A distance of which the matcher says nothing.
inline constexpr std::uint8_t kNoDistance = 0xFF;

struct CpuEnds {
  std::vector<std::uint8_t> ends;       // 1 where a match ends, else 0
  std::vector<std::uint8_t> distances;  // if they are kept: where a match ends, its distance or kNoDistance
};

struct CpuMatcher {
  const MatcherFacts* facts;
  /// Throws UsageError for settings that the matcher does not take.
  CpuEnds (*run)(std::string_view text, const MatcherSettings& settings, const CpuWork& how);
};

/// In the order of the list.
const std::vector<CpuMatcher>& cpu_matchers();

}  // namespace trawl::matchers
