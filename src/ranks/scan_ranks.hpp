// A scan by several ranks. The first one reads the reference and deals its chunks to whoever asks, itself too. Each
// rank scans its chunks alone (scan_alone.hpp) and makes their lines; the first rank joins what was found at the cuts
// and writes all, chunk by chunk.
//
//   ScanSource source{chunks, bytes, size, progress, sink};                          // on the first rank
//   run_scan_ranks(cluster, &source, run_end, *finder, queries, options, lines, stats);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/read/chunk_source.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/scan_lines.hpp"
#include "io/write/scan_sink.hpp"
#include "pipeline/chunk_reader.hpp"
#include "ranks/cluster.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"

namespace trawl::ranks {

/// What only the first rank has.
struct ScanSource {
  std::shared_ptr<io::ChunkSource> chunks;
  std::optional<std::uint64_t> bytes;       // of the input, if known
  std::optional<pipeline::ChunkSize> size;  // none: the user has set the size of chunks
  io::Progress& progress;
  io::ScanSink& sink;
};

/// Scans all chunks. On return the first rank has written all lines. `source`: null except on the first rank. Each rank
/// counts the records of its own lines; the first rank also counts those near the cuts, and the reference. Memory of
/// each rank: some chunks of the reference, about 400 MB of ends, records and lines, and one record for each pattern.
/// If something fails, says so and ends all ranks.
void run_scan_ranks(Cluster& cluster, ScanSource* source, const RunEnd& run_end, scan::Finder& finder,
                    const std::vector<scan::Query>& queries, const scan::ScanOptions& options, io::ScanLines& lines,
                    io::ScanStats& stats);

}  // namespace trawl::ranks
