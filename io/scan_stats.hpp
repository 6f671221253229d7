// What a run of `trawl scan` did, for `--stats FILE.json` and the summary.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trawl::io {

/// The records of a pattern.
struct PatternCounts {
  std::string name;
  bool searched = true;
  std::vector<std::uint64_t> by_distance;  // index: distance, up to the largest allowed
};

struct ScanStats {
  std::string version;
  std::string command_line;
  std::string engine;
  unsigned threads = 1;

  std::uint64_t contigs = 0;
  std::uint64_t reference_bases = 0;
  std::uint64_t patterns = 0;
  std::uint64_t patterns_not_searched = 0;  // they would match everywhere
  std::uint64_t records = 0;
  std::vector<std::uint64_t> records_by_distance;  // index: distance
  std::vector<PatternCounts> records_by_pattern;   // in the order given

  std::map<std::string, double> seconds;  // per stage; stages overlap
  double wall_seconds = 0;
};

/// Writes it; the file appears only when complete. Throws IoError.
void write_stats_json(const ScanStats& stats, const std::string& path);

}  // namespace trawl::io
