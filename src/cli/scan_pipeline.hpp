// Chunks of the reference -> ends -> sites -> records, written in the order of the reference.
#pragma once

#include <vector>

#include "io/fasta_chunks.hpp"
#include "io/progress.hpp"
#include "io/scan_sink.hpp"
#include "io/scan_stats.hpp"
#include "scan/finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"

namespace trawl::cli {

/// Scans all of `chunks` and writes the records to `sink`, which it does not close. Counts everything in `stats`. Of
/// the reference, two chunks are in memory at a time.
void run_scan_pipeline(io::FastaChunks& chunks, scan::Finder& finder, const std::vector<scan::Query>& queries,
                       const scan::Options& options, io::ScanSink& sink, io::Progress& progress, io::ScanStats& stats);

}  // namespace trawl::cli
