// Tails that are cut before the search (rescue/foreign_tail.hpp): known adapters of single reads, and bases with very
// low qualities. The read is mapped without its tail. Then as much of the tail is aligned as the rule of penalties
// keeps. A read of which much of an adapter fits, or whose place is not clear without its bad tail, is mapped as a
// whole.
//
//   qualities   IIIIIIIIIIIIIIIIIIIIIIIIIIIIII##########
//   mapped      GATTACAGGACCTTAGGCATCCATGCAATC              then the tail is aligned as far as it fits
//
//   with: engine::Engine& engine, const sequence::Reference& reference, const map::Options& options
//   with: const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   const auto worker = make_bad_tails_worker(engine.make_worker(), reference, options);
//   worker->map(batch, results);
#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::rescue {

/// `reference` must outlive the worker.
std::unique_ptr<engine::Worker> make_bad_tails_worker(std::unique_ptr<engine::Worker> inside,
                                                      const sequence::Reference& reference,
                                                      const map::Options& options);

}  // namespace trawl::rescue
