// Chunks of the reference -> ends -> sites -> records, written in the order of the reference.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/in/fasta_chunks.hpp"
#include "io/out/scan_sink.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "scan/find/finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"

namespace trawl::cli {

/// How many bases a chunk has: fewer where there are many ends, so that those do not fill the memory.
class ChunkSize {
 public:
  explicit ChunkSize(std::size_t queries);
  std::uint64_t bases() const { return bases_; }
  /// After a chunk of `bases` with `ends`.
  void learn(std::uint64_t bases, std::uint64_t ends);

 private:
  std::uint64_t bases_;
};

/// Scans all of `chunks` and writes the records to `sink`, which it does not close. Counts everything in `stats`, whose
/// records_by_pattern hold all patterns and distances. Of the reference, two chunks are in memory at a time; of its
/// ends and records, however many there are, some 200 MB and one a pattern. `chunks` is shared with the thread that
/// reads: where this throws, that one may still wait for input, until the program ends.
void run_scan_pipeline(const std::shared_ptr<io::FastaChunks>& chunks, scan::Finder& finder,
                       const std::vector<scan::Query>& queries, const scan::Options& options, io::ScanSink& sink,
                       io::Progress& progress, io::ScanStats& stats, ChunkSize* size);

}  // namespace trawl::cli
