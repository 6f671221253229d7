// Pairs whose fragment is shorter than a read (rescue/mate_overlap.hpp): both mates show the same fragment, and then
// adapter. So the fragment is mapped once, as a single read, and both mates get its place:
//
//   reference   ..CGGATTACAGGACCTTAGGCATCC..
//   fragment        GATTACAGGACCTTAG
//   mate 1          GATTACAGGACCTTAGagatcg        16M6S
//   mate 2    tctagcGATTACAGGACCTTAG              6S16M
//
// Where the bases behind the fragment fit the reference, they are no adapter: mates in two copies of a repeat. Such
// pairs are mapped as all others.
//
//   with: engine::Engine& engine, const sequence::Reference& reference, const map::Options& options
//   with: const align::InsertModel& inserts, const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   const auto whole = engine.make_worker();
//   const MapWhole map_whole = [&](const auto& reads, auto& out) { whole->map(reads, out); };
//   const auto worker = make_short_fragments_worker(engine.make_worker(), map_whole, engine.make_single_worker(),
//                                                   reference, options, inserts);
//   worker->map(batch, results);
#pragma once

#include <functional>
#include <memory>

#include "align/pair_rule.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::rescue {

/// Maps the reads of a batch as engine::Worker::map() does, but only as wholes.
using MapWhole = std::function<void(const sequence::ReadBatch&, align::AlignmentBatch&)>;

/// `others` maps reads and pairs, `map_whole` those for which fragments must be better, `fragments` the fragments, as
/// single reads. With `map_whole` null, mates are mapped like single reads, each without the adapter behind its
/// fragment. All must outlive the worker.
std::unique_ptr<engine::Worker> make_short_fragments_worker(std::unique_ptr<engine::Worker> others, MapWhole map_whole,
                                                            std::unique_ptr<engine::Worker> fragments,
                                                            const sequence::Reference& reference,
                                                            const map::Options& options,
                                                            const align::InsertModel& inserts);

}  // namespace trawl::rescue
