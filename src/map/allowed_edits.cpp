#include "map/allowed_edits.hpp"

#include <string>

#include "base/error.hpp"

namespace trawl::map {

std::uint32_t allowed_edits(const Options& options, const sequence::ReadBatch& batch, std::size_t r) {
  const std::uint32_t edits = options.max_edits.of(batch.length(r));
  if (edits > kMaxEdits && batch.length(r) > edits) {
    throw Error("read '" + std::string(batch.name(r)) + "' of " + std::to_string(batch.length(r)) +
                " bases would be allowed " + std::to_string(edits) + " edits; at most " + std::to_string(kMaxEdits) +
                " are possible, give a smaller -e");
  }
  return edits;
}

}  // namespace trawl::map
