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

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// How to search a text.
struct CpuWork {
  bool all_threads = false;   // use all threads of oneTBB
  std::uint64_t stretch = 0;  // characters per call of scan(); 0: the whole text on one thread, chosen on all threads
  bool distances = false;     // store the distances; with bytes only
  Output output = Output::bytes;
};

/// Stands for a distance that the matcher does not report.
inline constexpr std::uint8_t kNoDistance = 0xFF;

struct CpuEnds {
  std::uint64_t count = 0;              // positions where a match ends, whatever the output
  std::vector<std::uint8_t> ends;       // bytes: 1 if a match ends at this position, else 0
  std::vector<std::uint64_t> bits;      // bits: bit j % 64 of word j / 64
  std::vector<std::uint64_t> list;      // list: the positions, ascending
  std::vector<std::uint8_t> distances;  // only if stored: the distance of the match that ends here, or kNoDistance
  double prepare_seconds = 0;           // for the table
  double search_seconds = 0;            // for the search, the result's memory included
};

struct CpuMatcher {
  const MatcherFacts* facts;
  /// Throws UsageError for settings that the matcher does not support.
  CpuEnds (*run)(std::string_view text, const MatcherSettings& settings, const CpuWork& how);
};

/// All matchers, in the order of list.txt.
const std::vector<CpuMatcher>& cpu_matchers();

}  // namespace trawl::matchers
