// Reads -> alignments -> records: batches on their way through an engine, written in input order.
#pragma once

#include <cstddef>

#include "engine/engine.hpp"
#include "io/in/read_source.hpp"
#include "io/out/alignment_sink.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"

namespace trawl::cli {

/// Maps all reads of `source` with `threads` threads (as far as TBB's max_allowed_parallelism lets it) and writes them
/// to `sink`, which it does not close. Counts everything in `stats`. The first error in the order of the input is
/// thrown. `batch_size`: reads a batch; 0: as the engine likes, fewer where they have very many loci. As many batches
/// are under way as the engine says.
void run_map_pipeline(io::ReadSource& source, engine::Engine& engine, io::AlignmentSink& sink, unsigned threads,
                      std::size_t batch_size, io::Progress& progress, io::RunStats& stats);

}  // namespace trawl::cli
