// Pairs whose fragment is shorter than a read (clip/mate_overlap.hpp). Both mates show the same fragment, and then
// adapter. So the fragment is mapped once, as a single read, and both mates get its place, with the adapter left out:
//
//   reference   ..CGGATTACAGGACCTTAGGCATCC..
//   fragment        GATTACAGGACCTTAG
//   mate 1          GATTACAGGACCTTAGagatcg        16M6S
//   mate 2    tctagcGATTACAGGACCTTAG              6S16M
//
// Where the bases behind the fragment fit the reference, they are no adapter: mates in two copies of a repeat. Such
// pairs are mapped as all others.
#pragma once

#include <memory>

#include "align/pair_rule.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

/// `others` maps the other pairs, `fragments` single reads. `options.pairs.orientation` must be fr. All must outlive
/// the worker. `single`: the mates of all other pairs, too, are mapped like single reads.
std::unique_ptr<engine::Worker> make_short_fragments_worker(std::unique_ptr<engine::Worker> others,
                                                            std::unique_ptr<engine::Worker> fragments, bool single,
                                                            const sequence::Reference& reference,
                                                            const map::Options& options,
                                                            const align::InsertModel& inserts);

}  // namespace trawl::clip
