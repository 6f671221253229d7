// Statistics of a `trawl scan` run, for `--stats FILE.json` and the summary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/stats/command_stats.hpp"

namespace trawl::io {

/// The records of one pattern.
struct PatternCounts {
  std::string name;
  bool searched = true;
  std::vector<std::uint64_t> by_distance;  // index: distance, up to the largest allowed
};

struct ScanStats : CommandStats {
  std::uint64_t patterns = 0;
  std::uint64_t patterns_not_searched = 0;  // they would match everywhere
  std::uint64_t records = 0;
  std::vector<std::uint64_t> records_by_distance;  // index: distance
  std::vector<PatternCounts> records_by_pattern;   // in the order given
};

/// The text of the JSON file.
std::string stats_json(const ScanStats& stats);

}  // namespace trawl::io
