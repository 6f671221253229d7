// An engine whose alignments have their places on circular contigs (align/origin.hpp).
//
//   with: std::unique_ptr<Engine> inside, const sequence::Reference& reference   // `inside` searches reference.searched()
//   const auto engine = make_circular_engine(std::move(inside), reference.searched());
//   const auto worker = engine->make_worker();                 // its alignments are those of `reference`
#pragma once

#include <memory>

#include "engine/engine.hpp"

namespace trawl::engine {

/// `searched` must outlive the engine.
std::unique_ptr<Engine> make_circular_engine(std::unique_ptr<Engine> inside, const sequence::Reference& searched);

}  // namespace trawl::engine
