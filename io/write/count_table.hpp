// The table of `trawl scan --counts`: how many reads of each sample have each pattern.
//
//   SampleCounts sample{.name = "T0", .by_row = std::vector<std::uint64_t>(1)};
//   sample.add(0);                                       // a read that has the first pattern
//   sample.add(std::nullopt);                            // a read without one
//   write_count_table("counts.tsv", 6, {{"g1", "GATTACA"}}, {.names = {"gene"}, .cells = {"TP53"}}, {sample});
//   // sgRNA  Gene  T0
//   // g1     TP53  1
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/read/pattern_reader.hpp"
#include "sequence/pattern.hpp"

namespace trawl::io {

/// The reads of a sample.
struct SampleCounts {
  std::string name;
  std::uint64_t reads = 0;
  std::uint64_t assigned = 0;
  std::vector<std::uint64_t> by_row;  // of the table of patterns; empty: they are not counted

  /// A read, and its row if it has one.
  void add(std::optional<std::uint32_t> row) {
    ++reads;
    assigned += row ? 1 : 0;
    if (row && !by_row.empty()) {
      ++by_row[*row];
    }
  }
  /// "T0 9 of 10 reads (90%)"
  std::string text() const;
};

/// A line for each pattern, in their order: its name, the other columns, and the count of each sample. If there is a
/// column of genes, it comes second, and the header is `sgRNA`, `Gene`, ... as MAGeCK has it; otherwise `pattern`, ...
/// Writes .tsv, .csv, or these with .gz. Throws IoError.
void write_count_table(const std::string& path, int compression_level, const sequence::PatternList& patterns,
                       const PatternColumns& columns, const std::vector<SampleCounts>& samples);

}  // namespace trawl::io
