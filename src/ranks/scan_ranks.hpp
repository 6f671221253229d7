// A scan by several ranks. The first one reads the reference and deals its chunks to whoever asks, itself too. Each
// rank scans its chunks alone (scan_alone.hpp) and makes their lines; the first rank joins what was found at the cuts
// and says, chunk by chunk, where the lines go.
//
//   ScanSource source{chunks, bytes, size, progress, sink};                          // on the first rank
//   run_scan_ranks(cluster, &source, place, *finder, queries, options, lines, stats);
//
// Messages for a chunk: a rank asks, and gets the chunk; it says what it found; it learns where its lines go. For
// BED.gz it then says the size of its blocks, and learns their place. For streams and SAM it sends the lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/read/chunk_source.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/output_file.hpp"
#include "io/write/scan_lines.hpp"
#include "io/write/scan_sink.hpp"
#include "ranks/cluster.hpp"
#include "run/chunk_reader.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "sequence/contig_names.hpp"

namespace trawl::ranks {

/// What only the first rank has.
struct ScanSource {
  std::shared_ptr<io::ChunkSource> chunks;
  std::optional<std::uint64_t> bytes;  // of the input, if known
  std::optional<run::ChunkSize> size;  // none: the user has set the size of chunks
  io::Progress& progress;
  io::ScanSink& sink;
};

/// Where a rank writes its lines.
struct ScanPlace {
  const io::OutputFile* file = nullptr;  // none: they go to the first rank
  std::optional<int> level;              // of BED.gz
};

/// For ScanSinkOptions::give_place on the first rank.
void give_scan_place(ranks::Cluster& cluster, std::uint64_t rank, std::uint64_t place);

/// Scans all chunks. On return all lines of this rank are written. `source`: null but on the first rank. Each rank
/// counts the records of its own lines; the first rank also counts those near the cuts, and the reference. Memory of
/// each rank: some chunks of the reference, about 400 MB of ends, records and lines, and one record for each pattern.
/// If something fails, says so and ends all ranks.
void run_scan_ranks(ranks::Cluster& cluster, ScanSource* source, const ScanPlace& place, scan::Finder& finder,
                    const std::vector<scan::Query>& queries, const scan::Options& options, io::ScanLines& lines,
                    io::ScanStats& stats);

}  // namespace trawl::ranks
