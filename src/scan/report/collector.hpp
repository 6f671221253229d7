// Makes the records of the output from sites, region by region.
//
//   RecordCollector collector(queries, options);
//   collector.add(chunk, region, sites, take);   // for all regions of all chunks, in order; passes records to `take`
//   collector.limit();                           // no later record comes before this place
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"
#include "scan/report/record.hpp"
#include "scan/report/record_maker.hpp"
#include "scan/report/site.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::scan {

class RecordCollector {
 public:
  using Place = std::pair<std::uint64_t, std::uint64_t>;

  RecordCollector(const std::vector<Query>& queries, const Options& options);

  /// Takes the records and leaves the vector empty.
  using Take = std::function<void(std::vector<Record>&)>;

  /// Passes the records that are known now to `take`, a few megabytes at a time and in no particular order. There is
  /// one record per site or, with Report::loci, one per run of sites with consecutive keys (see RecordMaker).
  /// A run that reaches the end of a region may continue in the next region.
  void add(const sequence::TextChunk& chunk, const Region& region, std::span<const Site> all, const Take& take);

  /// {contig, start}: records that later calls of add() make do not begin before this place.
  Place limit() const { return limit_; }

 private:
  // A run that may continue, or no run.
  struct OpenRun {
    bool is_open = false;
    bool is_given = false;  // the record was passed on because it cannot get better
    std::uint64_t contig = 0;
    std::uint64_t last_key = 0;
    std::uint32_t rank = 0;
    RecordMaker::Made best;
  };
  // A run in a region.
  struct Run {
    std::size_t best = 0;  // index of the leftmost of its best sites
    std::size_t last = 0;  // index of its last site
    bool goes_on = false;  // it began in an earlier region
  };

  // Whether no two neighbouring positions are sites of the query, and each record is an exact one.
  bool is_single(const Query& query) const {
    return options_.max_edits == 0 && is_exact(query, 0, options_) &&
           (options_.report == Report::ends || !query.is_run);
  }
  std::span<const Site> add_single(const sequence::TextChunk& chunk, std::span<const Site> sites, const Take& take);
  const OpenRun* open_run_of(std::uint32_t query) const {
    const auto found = open_.find(query);
    return found != open_.end() && found->second.is_open ? &found->second : nullptr;
  }
  std::vector<Run> make_runs(const sequence::TextChunk& chunk, std::span<const Site> sites) const;
  // Whether the best site of this region may give the record of the run.
  bool is_candidate(const Run& run, const Site& best) const {
    return !run.goes_on || best.rank() <= open_.at(best.query).rank;
  }
  void add_run(const Run& run, std::span<const Site> sites, std::uint64_t contig, RecordMaker::Made& made,
               std::vector<Record>& records);
  bool may_go_on(const OpenRun& run) const { return Place(run.contig, run.last_key + 1) >= next_; }
  static void close(OpenRun& run, std::vector<Record>& records);
  void update_limit();

  const std::vector<Query>& queries_;
  const Options& options_;
  std::uint64_t reach_;
  std::unordered_map<std::uint32_t, OpenRun> open_;  // by query: all open runs, perhaps also others
  std::vector<Site> rest_;                           // the sites that add_single() left
  Place next_{0, 0};                                 // no later site has a contig and key before this
  Place limit_{0, 0};
};

}  // namespace trawl::scan
