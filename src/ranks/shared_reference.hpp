// The reference and its seeds for the ranks of a run: once in the memory of each node.
//
//   run::LoadedReference loaded = load_shared_reference(path, threads, {}, cluster);  // on all ranks
//   loaded.seeds = share_seeds(loaded.reference, threads, cluster);              // if the engine needs them
//
// A saved index is mapped by each rank; the system holds its pages once. A FASTA is read by the first rank and sent to
// one rank of each node.
#pragma once

#include <memory>
#include <string>

#include "ranks/cluster.hpp"
#include "run/load_reference.hpp"
#include "seed/seed_index.hpp"
#include "sequence/reference.hpp"

namespace trawl::ranks {

/// For all ranks. `path`, `threads`, `circular`: as for run::load_reference(). Throws AgreedError, also if the ranks
/// see different files; in a cluster of one, what run::load_reference() throws. The warnings are those of the first
/// rank.
run::LoadedReference load_shared_reference(const std::string& path, unsigned threads,
                                           const run::CircularContigsRule& circular, ranks::Cluster& cluster);

/// For all ranks. One of each node builds the seeds, with so many threads.
std::shared_ptr<const seed::SeedIndex> share_seeds(const sequence::Reference& reference, unsigned threads,
                                                   ranks::Cluster& cluster);

}  // namespace trawl::ranks
