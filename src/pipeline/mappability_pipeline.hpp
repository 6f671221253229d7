// All reads of a reference, or those of some regions -> their loci -> a track: for every position the number of loci of
// the read that begins there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "io/read/bed_regions.hpp"
#include "io/stats/mappability_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/position_track.hpp"
#include "mappability/position_loci.hpp"
#include "sequence/reference.hpp"

namespace trawl::pipeline {

/// The reads that begin in these regions, in their order.
std::vector<mappability::ReadStarts> read_starts(const sequence::Reference& reference,
                                                 const mappability::ReferenceReads& reads,
                                                 std::span<const io::ContigRegion> regions);

/// Counts the loci of reads of `reference` with `threads` threads, and writes the counts to `track`, in the order of
/// `starts`, which must be that of the reference. Does not close `track`. Counts everything in `stats`. `batch_size`:
/// reads per batch; 0: as the engine prefers. If several batches fail, the error of the first one is thrown.
void count_loci(const sequence::Reference& reference, const mappability::ReferenceReads& reads,
                std::span<const mappability::ReadStarts> starts, engine::Engine& engine, unsigned threads,
                std::size_t batch_size, io::PositionTrack& track, io::Progress& progress, io::MappabilityStats& stats);

/// The same where mappability::suits_word_counts(): no engine is needed.
void count_words(const sequence::Reference& reference, const mappability::ReferenceReads& reads,
                 std::span<const mappability::ReadStarts> starts, unsigned threads, io::PositionTrack& track,
                 io::Progress& progress, io::MappabilityStats& stats);

}  // namespace trawl::pipeline
