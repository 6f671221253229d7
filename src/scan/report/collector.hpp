// From sites, chunk by chunk, to the records of the output.
//
//   RecordCollector collector(queries, options);
//   collector.add(chunk, sites, records);      // for every chunk in order; appends
//   collector.limit();                         // no later record comes before this place
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scan/options.hpp"
#include "scan/query.hpp"
#include "scan/report/record.hpp"
#include "scan/report/site.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::scan {

class RecordCollector {
 public:
  RecordCollector(const std::vector<Query>& queries, const Options& options);

  /// Appends, in no order, the records that are known now: one a site or, with Report::loci, one a run of sites with
  /// consecutive keys, for the best of them (of equally good ones the leftmost). A run that reaches the end of a chunk
  /// may go on in the next one.
  void add(const sequence::TextChunk& chunk, std::span<const Site> sites, std::vector<Record>& records);

  /// {contig, start}: what add() will append later does not begin before it.
  std::pair<std::uint64_t, std::uint64_t> limit() const { return limit_; }

 private:
  // A run that may go on.
  struct OpenRun {
    bool is_open = false;
    std::uint64_t contig = 0;
    std::uint64_t last_key = 0;
    std::uint32_t rank = 0;
    Record best;
  };
  // A run in a chunk.
  struct Run {
    std::size_t best = 0;  // index of the site
    std::uint64_t last_key = 0;
    bool goes_on = false;     // it began in an earlier chunk
    bool is_improved = true;  // the best site is in this chunk
    bool may_go_on = false;   // it reaches the end of the chunk
  };

  std::vector<Run> make_runs(const sequence::TextChunk& chunk, std::span<const Site> sites);
  void update_limit(const sequence::TextChunk& chunk);

  const std::vector<Query>& queries_;
  const Options& options_;
  std::uint64_t reach_;
  std::vector<OpenRun> open_;  // by query
  std::pair<std::uint64_t, std::uint64_t> limit_{0, 0};
};

}  // namespace trawl::scan
