// Reads -> alignments -> records: batches of reads go through an engine, and the records are written in input order.
#pragma once

#include <cstddef>

#include "engine/engine.hpp"
#include "io/report/map_report.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/alignment_sink.hpp"
#include "map/options.hpp"
#include "pipeline/batch_source.hpp"

namespace trawl::pipeline {

/// Maps all reads or pairs of `source` with options.threads threads (fewer if TBB's max_allowed_parallelism is smaller)
/// and writes the records to `sink`, which it does not close. Counts everything in `stats`. If several batches fail,
/// the error of the first one in input order is thrown. `batch_size`: reads per batch. 0 means: as the engine prefers,
/// and fewer if reads have very many loci. The engine says how many batches are in work at a time. `report`: for
/// --report-html; null: none.
void map_reads(BatchSource& source, engine::Engine& engine, io::AlignmentSink& sink, const map::MapOptions& options,
               std::size_t batch_size, io::Progress& progress, io::RunStats& stats, io::MapReport* report = nullptr);

}  // namespace trawl::pipeline
