// Reads -> alignments -> records: batches on their way through an engine, written in input order.
#pragma once

#include <cstddef>

#include "engine/engine.hpp"
#include "io/alignment_sink.hpp"
#include "io/progress.hpp"
#include "io/read_source.hpp"
#include "io/run_stats.hpp"

namespace trawl::cli {

/// Maps all reads of `source` with `threads` threads and writes them to `sink`, which it does not close. Counts
/// everything in `stats`. At most two batches a thread are under way.
void run_map_pipeline(io::ReadSource& source, engine::Engine& engine, io::AlignmentSink& sink, unsigned threads,
                      io::Progress& progress, io::RunStats& stats);

}  // namespace trawl::cli
