// Joins the parts of runs that were found region by region, or chunk by chunk on several machines. A run of sites with
// consecutive keys is one locus, also if it crosses a cut.
//
//   with: const ScanOptions& options, RunPart part, std::uint64_t first_key, const ContigPlace& next
//   with: std::vector<SiteRecord>& records
//   RunJoiner joiner(options);
//   const bool goes_on = joiner.goes_on(part.query, part.contig, first_key);   // an earlier part ends just before
//   joiner.add(std::move(part), goes_on, next, records);       // the records that are known now
//   joiner.close_before(next, records);                        // no later part has a contig and key before `next`
//
// A run of a guide has the record of its best alignment. If that has bulges, the best alignment without bulges is
// beside it (RecordTexts::ungapped). All other sites with alignments without bulges have records, too: those that a
// search without bulges reports. So bulges hide none of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scan/options.hpp"
#include "scan/report/record.hpp"
#include "scan/report/record_maker.hpp"

namespace trawl::scan {

/// A contig's number and a position in it: of a record's start, or of a site's key.
using ContigPlace = std::pair<std::uint64_t, std::uint64_t>;

/// A site of a guide that has an alignment without bulges, within a run.
struct UngappedSite {
  std::uint32_t rank = 0;
  bool is_given = false;  // the record was passed on
  SiteRecord record;      // the alignment without bulges
};

/// A part of a run, and its records.
struct RunPart {
  std::uint32_t query = 0;
  std::uint32_t rank = 0;  // Site::rank() of its best site
  std::uint64_t contig = 0;
  std::uint64_t last_key = 0;
  bool is_given = false;  // the record of `best` was passed on because it cannot get better
  bool is_head = false;   // the run may have begun in an earlier chunk, which is not known here
  MadeRecord best;
  std::vector<UngappedSite> ungapped;  // of a guide that may have bulges, in the order of their keys

  /// Whether the best alignment is in `best`, and not one of those without bulges.
  bool is_in_best() const {
    return std::none_of(ungapped.begin(), ungapped.end(), [&](const UngappedSite& site) { return site.rank == rank; });
  }
};

/// Calls use(record) for all records of the part that were not passed on.
template <class Part, class Use>
void for_each_record(Part& part, Use&& use) {
  if (!part.is_given && part.is_in_best()) {
    use(part.best.record);
  }
  for (auto& site : part.ungapped) {
    if (!site.is_given) {
      use(site.record);
    }
  }
}

/// The runs at the cuts of a chunk that was scanned alone.
struct ChunkParts {
  std::vector<RunPart> heads;  // begin with the chunk, and have ended; an earlier chunk may have their begin
  std::vector<RunPart> open;   // may go on in the next chunk; some are heads, too
};

class RunJoiner {
 public:
  explicit RunJoiner(const ScanOptions& options) : options_(options) {}

  /// Whether a part that begins at `key` continues an open run.
  bool goes_on(std::uint32_t query, std::uint64_t contig, std::uint64_t key) const {
    const auto found = open_.find(query);
    return found != open_.end() && found->second.is_open && found->second.part.contig == contig &&
           found->second.part.last_key + 1 == key;
  }
  /// Whether a part with this rank may give the record of the run that it continues. Needs goes_on().
  bool may_be_better(std::uint32_t query, std::uint32_t rank) const { return rank <= open_.at(query).part.rank; }

  /// Adds a part; parts of a query come in the order of the reference. `goes_on`: it continues the open run of its
  /// query, and its `best` is only looked at if may_be_better(). `next`: later parts do not begin before this place.
  void add(RunPart part, bool goes_on, const ContigPlace& next, std::vector<SiteRecord>& records);
  /// Appends the records of a run that is complete and not known to the joiner. It is no head.
  static void close(RunPart& run, std::vector<SiteRecord>& records);
  /// Closes the runs that end before `next`.
  void close_before(const ContigPlace& next, std::vector<SiteRecord>& records);

  /// {contig, start}: the smallest place that the record of an open run has now, and `limit` if that is smaller.
  ContigPlace limit(ContigPlace limit) const;
  /// Whether an open run is a head.
  bool has_open_head() const;

  /// The heads that were closed. Their records were not passed on.
  const std::vector<RunPart>& closed_heads() const { return heads_; }
  /// The closed heads, and all open runs. Afterwards there are none.
  ChunkParts take_parts();

 private:
  // A run that may continue, or no run.
  struct OpenRun {
    bool is_open = false;
    RunPart part;
  };

  static bool may_go_on(const RunPart& part, const ContigPlace& next) {
    return ContigPlace(part.contig, part.last_key + 1) >= next;
  }
  static void join(RunPart& run, RunPart part);
  static void give_perfect(RunPart& run, std::vector<SiteRecord>& records);
  void close(OpenRun& run, std::vector<SiteRecord>& records);

  const ScanOptions& options_;
  std::unordered_map<std::uint32_t, OpenRun> open_;  // by query: all open runs, perhaps also others
  std::vector<RunPart> heads_;
};

}  // namespace trawl::scan
