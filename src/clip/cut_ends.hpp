// Ends of reads that are cut before the search: it takes long for reads that do not fit as a whole.
//
// Adapters. If the fragment of a pair is shorter than a read (clip/mate_overlap.hpp), both mates show the same
// fragment, and then adapter. So the fragment is mapped once, as a single read, and both mates get its place:
//
//   reference   ..CGGATTACAGGACCTTAGGCATCC..
//   fragment        GATTACAGGACCTTAG
//   mate 1          GATTACAGGACCTTAGagatcg        16M6S
//   mate 2    tctagcGATTACAGGACCTTAG              6S16M
//
// Where the bases behind the fragment fit the reference, they are no adapter: mates in two copies of a repeat. Such
// pairs are mapped as all others.
//
// Foreign tails (clip/foreign_tail.hpp): known adapters of single reads, and bases with very low qualities. The read is
// mapped without its tail. Then as much of the tail is aligned as the rule of penalties keeps. A read of which much of
// an adapter fits, or whose place is not clear without its bad tail, is mapped as a whole.
//
//   with: engine::Engine& engine, const sequence::Reference& reference, const map::Options& options
//   with: const align::InsertModel& inserts, const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   auto others = engine.make_worker();
//   const auto whole = engine.make_worker();
//   const MapWhole map_whole = [&](const auto& reads, auto& out) { whole->map(reads, out); };
//   const auto worker =
//       make_cut_ends_worker(std::move(others), map_whole, engine.make_single_worker(), reference, options, inserts);
//   worker->map(batch, results);
#pragma once

#include <functional>
#include <memory>

#include "align/pair_rule.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

/// Maps the reads of a batch as engine::Worker::map() does, but only as wholes.
using MapWhole = std::function<void(const sequence::ReadBatch&, align::AlignmentBatch&)>;

/// `others` maps reads and pairs, `map_whole` those for which fragments must be better, `fragments` the fragments, as
/// single reads; null: they are not looked for, as options.pairs.orientation is not fr. All must outlive the worker.
std::unique_ptr<engine::Worker> make_cut_ends_worker(std::unique_ptr<engine::Worker> others, MapWhole map_whole,
                                                     std::unique_ptr<engine::Worker> fragments,
                                                     const sequence::Reference& reference, const map::Options& options,
                                                     const align::InsertModel& inserts);

/// A worker that maps mates like single reads, each without the adapter behind its fragment.
std::unique_ptr<engine::Worker> make_single_fragments_worker(std::unique_ptr<engine::Worker> others,
                                                             std::unique_ptr<engine::Worker> fragments,
                                                             const sequence::Reference& reference,
                                                             const map::Options& options,
                                                             const align::InsertModel& inserts);

}  // namespace trawl::clip
