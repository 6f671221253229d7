// Chunks of the reference -> ends -> sites -> records. The records are written in the order of the reference.
#pragma once

#include <memory>
#include <vector>

#include "io/read/chunk_source.hpp"
#include "io/read/circular_contigs.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/scan_sink.hpp"
#include "pipeline/chunk_reader.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"

namespace trawl::pipeline {

/// Scans all `chunks` and writes the records to `sink`. Does not close `sink`. Counts everything in `stats`, by pattern
/// only if records_by_pattern has a value. Memory: two chunks of the reference, about 200 MB of ends and records
/// (however many there are), and one record per pattern. `chunks` is shared with the thread that reads. If this
/// function throws, that thread may still wait for input until the program ends. `circles`: of the chunks, if their
/// source has circular contigs; null: there are none. `own_threads`: if options.threads is more than 1, reading ahead,
/// searching and writing may go on at the same time; otherwise all is done on the caller's thread.
void scan_reference(const std::shared_ptr<io::ChunkSource>& chunks, scan::Finder& finder,
                    const std::vector<scan::Query>& queries, const scan::ScanOptions& options, io::RecordSink& sink,
                    io::Progress& progress, io::ScanStats& stats, ChunkSize* size, const io::Circles* circles = nullptr,
                    bool own_threads = true);

}  // namespace trawl::pipeline
