// The engine of --clip N: it clips reads, around one that maps whole reads (align/clip_rule.hpp says what is found).
//
//   with: const sequence::Reference& reference, const map::MapOptions& options, std::unique_ptr<engine::Engine> engine
//   engine = make_clipping_engine(std::move(engine), reference, options);
//
// The engine inside maps every batch. Then the reads without a locus get clipped loci, and their pairs are made anew.
// All that is done here on the host, and it is the same for every engine; only the cores of the reads are searched by
// the engine inside.
#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

/// `options.clip` must be on, and not `poor`: see rescue/default_engine.hpp. `reference` must outlive the engine.
std::unique_ptr<engine::Engine> make_clipping_engine(std::unique_ptr<engine::Engine> inside,
                                                     const sequence::Reference& reference,
                                                     const map::MapOptions& options);

}  // namespace trawl::clip
