// The number of edits allowed for a read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "map/options.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::map {

/// e of read r of the batch. Throws Error if that is more than kMaxEdits; but a read that is not longer than e is not
/// searched, so any e will do for it.
std::uint32_t allowed_edits(const Options& options, const sequence::ReadBatch& batch, std::size_t r);

}  // namespace trawl::map
