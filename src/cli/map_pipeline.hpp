// Reads -> alignments -> records: batches of reads go through an engine, and the records are written in input order.
#pragma once

#include <cstddef>

#include "engine/engine.hpp"
#include "io/in/read_input.hpp"
#include "io/out/alignment_sink.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "map/options.hpp"

namespace trawl::cli {

/// Maps all reads or pairs of `input` with options.threads threads (fewer if TBB's max_allowed_parallelism is smaller)
/// and writes the records to `sink`. Does not close `sink`. Counts everything in `stats`. If several batches fail, the
/// error of the first one in input order is thrown. `batch_size`: reads per batch. 0 means: as the engine prefers, and
/// fewer if reads have very many loci. The engine says how many batches are in work at a time.
void run_map_pipeline(io::ReadInput& input, engine::Engine& engine, io::AlignmentSink& sink,
                      const map::Options& options, std::size_t batch_size, io::Progress& progress, io::RunStats& stats);

}  // namespace trawl::cli
