// Statistics of a `trawl scan` run, for `--stats FILE.json` and the summary.
//
//   PatternCounts counts({true, false}, 2);          // two patterns, of which the first is searched
//   counts.add(0, 1);
//   counts.of(0) == {0, 1, 0}
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/stats/command_stats.hpp"
#include "io/stats/site_sample.hpp"
#include "io/write/count_table.hpp"
#include "scan/report/guide_summary.hpp"
#include "scan/report/read_call.hpp"
#include "scan/report/record.hpp"
#include "sequence/pattern.hpp"

namespace trawl::io {

/// The number of records of each pattern, by distance. Takes 8 bytes for each pattern and distance.
class PatternCounts {
 public:
  /// `searched`: by pattern. `most`: the largest distance.
  PatternCounts(std::vector<bool> searched, std::uint32_t most)
      : searched_(std::move(searched)), distances_(most + std::size_t{1}), counts_(searched_.size() * distances_) {}

  void add(std::uint32_t pattern, std::uint32_t distance) { ++counts_[pattern * distances_ + distance]; }
  void add(const PatternCounts& other) { add_counts(counts_, other.counts_); }
  /// All counts, for a sum over several processes.
  std::span<std::uint64_t> all() { return counts_; }
  std::size_t patterns() const { return searched_.size(); }
  bool is_searched(std::size_t pattern) const { return searched_[pattern]; }
  /// The index is the distance.
  std::vector<std::uint64_t> of(std::size_t pattern) const {
    const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(pattern * distances_);
    return {first, first + static_cast<std::ptrdiff_t>(distances_)};
  }

 private:
  std::vector<bool> searched_;
  std::size_t distances_;
  std::vector<std::uint64_t> counts_;
};

/// How many reads have a pattern.
struct ReadCounts {
  std::uint64_t assigned = 0;
  std::uint64_t ambiguous = 0;
  std::uint64_t unassigned = 0;
  std::uint64_t several_places = 0;  // assigned ones, whose pattern has several places with its distance
};

struct ScanStats : CommandStats {
  std::uint64_t patterns = 0;
  std::uint64_t patterns_not_searched = 0;  // they would match everywhere
  std::uint64_t searched_bases = 0;         // by this rank, under mpirun
  std::uint64_t records = 0;
  std::vector<std::uint64_t> records_by_distance;   // index: distance
  std::optional<PatternCounts> records_by_pattern;  // in the order given; none: they are not counted
  std::optional<scan::GuideSummary> guides;         // with --summary
  std::optional<SiteSample> sites;                  // for --report-html; none: they are not kept
  std::optional<ReadCounts> reads;                  // with --per-read best: the records are those of assigned reads
  std::vector<SampleCounts> samples;                // of these reads

  void count(std::span<const scan::SiteRecord> written);
  /// Needs `reads`.
  void count(std::span<const scan::ReadCall> calls);
  /// Adds what another part of the same run has found: contigs, bases and records.
  void add(const ScanStats& other);
};

/// Writes the statistics as JSON, a part at a time: with many patterns the text is large. Needs records_by_pattern,
/// whose patterns are `patterns`. The file appears only when it is complete. Throws IoError.
void write_stats(const ScanStats& stats, const sequence::PatternList& patterns, const std::string& path);

/// The statistics of `trawl primers`: records are the loci of primers. And those of the products.
struct AmpliconStats : ScanStats {
  bool is_table_of_pairs = true;
  std::uint64_t amplicons = 0;           // products
  std::uint64_t expected_amplicons = 0;  // of them
  std::uint64_t other_places = 0;        // loci that are not where a scheme has the primer
  std::optional<std::uint64_t> dimers;   // none: they were not searched
};

/// The text of the JSON file.
std::string stats_json(const AmpliconStats& stats);

/// Writes the counts and scores of the guides as .tsv, .csv, or these with .gz. `patterns`: without their PAM; those
/// that were not searched have a dot in each column. Throws UsageError for another extension, and IoError.
void write_guide_table(const scan::GuideSummary& summary, const sequence::PatternList& patterns,
                       const std::string& path, int compression_level);

}  // namespace trawl::io
