// What --report-html of `trawl map` shows besides the statistics of --stats.
//
//   with: const sequence::Reference& reference, const RunStats& stats, const RunFiles& files
//   with: const sequence::ReadBatch& batch, const align::AlignmentBatch& alignments
//   MapReport report(reference);
//   report.add(batch, alignments);              // any thread, any order
//   write_report_page(map_report_json(report, stats, files, false), "report.html");
//
// Memory: the bins of the coverage for each thread (256 KB, and 16 bytes for each contig), and the windows of a
// WindowSample. The counts do not depend on threads, batches or processes.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "align/alignment.hpp"
#include "base/packer.hpp"
#include "io/read/bed_regions.hpp"
#include "io/report/report_page.hpp"
#include "io/report/window_sample.hpp"
#include "io/stats/histogram.hpp"
#include "io/stats/map_stats.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class MapReport {
 public:
  /// Counts of the records as they are written; without supplementary ones, except for the coverage.
  struct Counts {
    ContigBins all;                         // reference bases covered by each record, with deletions
    ContigBins primary;                     // the same of primary and supplementary records
    CountBins records_by_read;              // of mapped reads (SAM: NH)
    std::vector<std::uint64_t> by_stratum;  // index: edits more than the best record of the read

    template <class Self>
    static auto members(Self& self) {
      return std::tie(self.all, self.primary, self.records_by_read, self.by_stratum);
    }
  };

  /// `collapsed`: as in RunCounts.
  explicit MapReport(const sequence::Reference& reference, bool collapsed = false);

  void add(const sequence::ReadBatch& batch, const align::AlignmentBatch& results);

  /// Packs all of it into a message for the first process, after the last add().
  void pack(Packer& to);
  void add_packed(Unpacker& from);

  /// After the last add().
  Counts counts();
  WindowSample& windows() { return windows_; }
  const sequence::Reference& reference() const { return reference_; }

 private:
  const sequence::Reference& reference_;
  bool collapsed_;
  std::vector<std::uint64_t> lengths_;  // of the contigs
  tbb::enumerable_thread_specific<Counts> counts_;
  WindowSample windows_;
};

/// The data of the page, as JSON. `ambiguous_matches`: an ambiguous letter matches what it may stand for.
std::string map_report_json(MapReport& report, const RunStats& stats, const RunFiles& files, bool ambiguous_matches);

}  // namespace trawl::io
