// Statistics of a `trawl mappability` run, for `--stats FILE.json` and the summary.
//
//   MappabilityStats stats;
//   stats.add(std::vector<std::uint64_t>{0, 1, 1, 5});     // loci of four reads
//   stats.one_locus == 2
//   stats.most_loci == 5
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/stats/command_stats.hpp"

namespace trawl::io {

struct MappabilityStats : CommandStats {
  std::uint32_t read_length = 0;
  std::uint32_t max_edits = 0;
  std::string metric;           // "levenshtein" or "hamming"
  std::uint64_t positions = 0;  // where a read begins
  std::uint64_t no_locus = 0;   // of these: reads with more ambiguous bases than edits
  std::uint64_t one_locus = 0;
  std::uint64_t more_loci = 0;
  std::uint64_t loci = 0;  // of all reads
  std::uint64_t most_loci = 0;
  std::uint64_t intervals = 0;  // lines of the output

  /// Counts the reads of some positions.
  void add(std::span<const std::uint64_t> counts);
};

/// The text of the JSON file.
std::string stats_json(const MappabilityStats& stats);

}  // namespace trawl::io
