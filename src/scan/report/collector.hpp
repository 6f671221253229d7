// Makes the records of the output from sites, region by region.
//
//   with: const std::vector<Query>& queries, const ScanOptions& options, const sequence::TextChunk& chunk
//   with: const Region& region, std::span<const Site> sites, const LocusCollector::Take& take
//   LocusCollector collector(queries, options);
//   collector.add(chunk, region, sites, take);         // for all regions of all chunks, in order
//   const ContigPlace limit = collector.limit();       // no later record comes before this place
//
// Where each chunk is scanned alone, in any order and on any machine, the runs at its cuts are joined later:
//
//   with: LocusCollector& collector, const sequence::TextChunk& chunk
//   with: const Region& region, std::span<const Site> sites, const LocusCollector::Take& take
//   collector.begin_alone(chunk);
//   collector.add(chunk, region, sites, take);           // for all regions of this chunk
//   const ChunkParts parts = collector.take_parts();     // for a RunJoiner, chunk by chunk in order
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "scan/report/record.hpp"
#include "scan/report/record_maker.hpp"
#include "scan/report/run_joiner.hpp"
#include "scan/report/site.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::scan {

class LocusCollector {
 public:
  LocusCollector(const std::vector<Query>& queries, const ScanOptions& options);

  /// Takes the records and leaves the vector empty.
  using Take = std::function<void(std::vector<SiteRecord>&)>;

  /// Passes the records that are known now to `take`, a few megabytes at a time and in no particular order. There is
  /// one record per site or, if ScanOptions::joins_ends(), one per run of sites with consecutive keys (see
  /// LocusRecordMaker; of a guide with bulges perhaps more, see RunJoiner). A run that reaches the end of a region may
  /// continue in the next region.
  void add(const sequence::TextChunk& chunk, const Region& region, std::span<const Site> all, const Take& take);

  /// {contig, start}: records that later calls of add() make do not begin before this place.
  ContigPlace limit() const { return joiner_.limit({next_.first, next_.second - std::min(next_.second, reach_)}); }
  /// {contig, key}: sites of later regions do not come before this place.
  ContigPlace next() const { return next_; }

  /// Begins a chunk that is scanned alone. What was before it is forgotten.
  void begin_alone(const sequence::TextChunk& chunk);
  /// Whether a run that begins with the chunk may go on after the regions so far.
  bool has_open_head() const { return joiner_.has_open_head(); }
  /// {contig, start}: the records of such runs that have ended begin before this place; at least where the chunk's
  /// fresh letters begin.
  ContigPlace heads_end() const;
  /// The runs that begin or end with the chunk. Call it after the last region.
  ChunkParts take_parts() { return joiner_.take_parts(); }

 private:
  // A run in a region.
  struct SiteRun {
    std::size_t first = 0;
    std::size_t best = 0;  // index of the leftmost of its best sites
    std::size_t last = 0;  // index of its last site
    bool goes_on = false;  // it began in an earlier region
    bool is_head = false;  // it may have begun in an earlier chunk
  };
  // What one thread makes of some sites: the records of the runs that end with them, and the other runs.
  struct Made {
    std::vector<SiteRecord> records;
    std::vector<std::pair<RunPart, bool>> parts;  // and whether they go on
  };

  // Whether no two neighbouring positions are sites of the query, and each record is an exact one.
  bool is_single(const Query& query) const {
    return options_.max_edits == 0 && is_exact(query, 0, options_) && !(options_.joins_ends() && query.is_run);
  }
  std::span<const Site> add_single(const sequence::TextChunk& chunk, std::span<const Site> sites, const Take& take);
  // Whether the site belongs to the run of the one before it, in the same region.
  bool is_joined(std::span<const Site> sites, std::size_t s) const {
    return options_.joins_ends() && sites[s - 1].query == sites[s].query && sites[s - 1].slice == sites[s].slice &&
           sites[s - 1].key + 1 == sites[s].key;
  }
  std::size_t next_run(const sequence::TextChunk& chunk, std::span<const Site> sites, std::size_t first,
                       SiteRun& run) const;
  void make_parts(const sequence::TextChunk& chunk, std::span<const Site> sites, std::size_t first, std::size_t last,
                  Made& made) const;
  void fill_part(const SiteRun& run, std::span<const Site> sites, bool with_path, LocusRecordMaker& maker,
                 RunPart& part) const;
  // Whether the best site of this region may give the record of the run.
  bool is_candidate(const SiteRun& run, const Site& best) const {
    return !run.goes_on || joiner_.may_be_better(best.query, best.rank());
  }

  const std::vector<Query>& queries_;
  const ScanOptions& options_;
  std::uint64_t reach_;
  RunJoiner joiner_;
  std::vector<Site> rest_;   // the sites that add_single() left
  ContigPlace next_{0, 0};   // no later site has a contig and key before this
  bool is_cut_ = false;      // of a chunk that is scanned alone: its first contig began in an earlier one
  ContigPlace first_{0, 0};  // where its fresh letters begin
};

}  // namespace trawl::scan
