// The engine of `trawl map --report best` without --end-to-end: reads are mapped as wholes, completely; then their ends
// are left out, split and joined where the rule of penalties says so (docs/clipping.md).
//
//   with: const sequence::Reference& reference, const map::MapOptions& options, std::unique_ptr<engine::Engine> engine
//   engine = make_default_engine(std::move(engine), reference, options);
//
// A batch goes through these passes; each has a file of its own:
//
//   short_fragments    pairs whose mates show the same fragment, and adapters behind it
//   bad_tails          adapters of single reads and bad tails are cut off
//   pieces_in_arrays   clipped reads in tandem repeats are mapped once more, all below included
//   the engine inside  whole reads and pairs
//   long_gaps          gaps are settled, ends trimmed, clipped ends joined; again after each of the next two
//   anchors            reads that fit nowhere, or poorly: where their words lie; local_search aligns them there
//   local_search       mates near their mates
//   split_ends         long clipped ends are mapped as reads of their own
//
// All but the engine inside run on the host, so that every engine writes the same.
#pragma once

#include <functional>
#include <memory>

#include "align/pair_rule.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::rescue {

/// `options.clip.when` must be `poor`. `reference` must outlive the engine.
std::unique_ptr<engine::Engine> make_default_engine(std::unique_ptr<engine::Engine> inside,
                                                    const sequence::Reference& reference,
                                                    const map::MapOptions& options);

// What is done before and after reads are mapped: workers around others, which must outlive them.

/// Maps clipped reads in tandem repeats once more. `inside` clips reads.
std::unique_ptr<engine::Worker> make_pieces_in_arrays_worker(std::unique_ptr<engine::Worker> inside,
                                                             const sequence::Reference& reference,
                                                             const map::MapOptions& options);

/// Cuts adapters of single reads and bad tails.
std::unique_ptr<engine::Worker> make_bad_tails_worker(std::unique_ptr<engine::Worker> inside,
                                                      const sequence::Reference& reference,
                                                      const map::MapOptions& options);

/// Maps the reads of a batch as engine::Worker::map() does, but only as wholes.
using MapWhole = std::function<void(const sequence::ReadBatch&, align::AlignmentBatch&)>;

/// Finds pairs whose mates show the same fragment. `others` maps reads and pairs, `map_whole` those for which fragments
/// must be better, `fragments` the fragments, as single reads. With `map_whole` null, mates are mapped like single
/// reads, each without the adapter behind its fragment.
std::unique_ptr<engine::Worker> make_short_fragments_worker(std::unique_ptr<engine::Worker> others, MapWhole map_whole,
                                                            std::unique_ptr<engine::Worker> fragments,
                                                            const sequence::Reference& reference,
                                                            const map::MapOptions& options,
                                                            const align::InsertModel& inserts);

}  // namespace trawl::rescue
