// Clipped reads in tandem repeats. What is aligned of such a read has many placements (align/placements.hpp), but as a
// piece it is one locus. So it is mapped once more, as a read of its own; then the ends are left out again:
//
//   reference   ..CATGGAATGGAATGGAATGGAATGGAATCCTG..
//   read             GGAATGGAATGGAATcctagc             15M6S; its first 15 bases have 3 placements, so MAPQ is 0
//
// Of a pair both mates are mapped again. Where a few of the aligned bases do not belong to the repeat, they may match
// beside it by chance: a placement that leaves out k more bases costs 6 k Phred more (align/mapq.hpp), and there are
// many.
//
//   with: engine::Engine& engine, const sequence::Reference& reference, const map::Options& options
//   with: const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   const auto worker = make_pieces_in_arrays_worker(engine.make_worker(), reference, options);
//   worker->map(batch, results);
#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::rescue {

/// `worker` clips reads. All must outlive the worker.
std::unique_ptr<engine::Worker> make_pieces_in_arrays_worker(std::unique_ptr<engine::Worker> worker,
                                                             const sequence::Reference& reference,
                                                             const map::Options& options);

}  // namespace trawl::rescue
