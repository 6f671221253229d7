// All reads of a reference -> their loci -> a track: for every position the number of loci of the read that begins
// there.
#pragma once

#include <cstddef>

#include "engine/engine.hpp"
#include "io/stats/mappability_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/position_track.hpp"
#include "mappability/position_loci.hpp"
#include "sequence/reference.hpp"

namespace trawl::run {

/// Counts the loci of all reads of `reference` with `threads` threads, and writes the counts to `track`, in the order
/// of the reference. Does not close `track`. Counts everything in `stats`. `batch_size`: reads per batch; 0: as the
/// engine prefers. If several batches fail, the error of the first one is thrown.
void count_loci(const sequence::Reference& reference, const mappability::ReferenceReads& reads, engine::Engine& engine,
                unsigned threads, std::size_t batch_size, io::PositionTrack& track, io::Progress& progress,
                io::MappabilityStats& stats);

}  // namespace trawl::run
