// What the default does before and after reads are mapped (rescue/default_engine.hpp): workers around others. The file
// of each says how.
//
//   with: engine::Engine& engine, const sequence::Reference& reference, const map::Options& options
//   with: const align::InsertModel& inserts, const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   auto worker = make_pieces_in_arrays_worker(engine.make_worker(), reference, options);
//   worker = make_bad_tails_worker(std::move(worker), reference, options);
//   const auto whole = engine.make_worker();
//   const MapWhole map_whole = [&](const auto& reads, auto& out) { whole->map(reads, out); };
//   worker = make_short_fragments_worker(std::move(worker), map_whole, engine.make_single_worker(), reference, options,
//                                        inserts);
//   worker->map(batch, results);
#pragma once

#include <functional>
#include <memory>

#include "align/pair_rule.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::rescue {

/// Maps clipped reads in tandem repeats once more. `inside` clips reads. All must outlive the worker, here and below.
std::unique_ptr<engine::Worker> make_pieces_in_arrays_worker(std::unique_ptr<engine::Worker> inside,
                                                             const sequence::Reference& reference,
                                                             const map::Options& options);

/// Cuts adapters of single reads and bad tails.
std::unique_ptr<engine::Worker> make_bad_tails_worker(std::unique_ptr<engine::Worker> inside,
                                                      const sequence::Reference& reference,
                                                      const map::Options& options);

/// Maps the reads of a batch as engine::Worker::map() does, but only as wholes.
using MapWhole = std::function<void(const sequence::ReadBatch&, align::AlignmentBatch&)>;

/// Finds pairs whose mates show the same fragment. `others` maps reads and pairs, `map_whole` those for which fragments
/// must be better, `fragments` the fragments, as single reads. With `map_whole` null, mates are mapped like single
/// reads, each without the adapter behind its fragment.
std::unique_ptr<engine::Worker> make_short_fragments_worker(std::unique_ptr<engine::Worker> others, MapWhole map_whole,
                                                            std::unique_ptr<engine::Worker> fragments,
                                                            const sequence::Reference& reference,
                                                            const map::Options& options,
                                                            const align::InsertModel& inserts);

}  // namespace trawl::rescue
