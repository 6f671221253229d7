#include "sequence/ambiguous_limit.hpp"

#include <algorithm>

namespace trawl::sequence {

std::uint64_t count_ambiguous(const Reference& reference, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t block = begin / 64;
  while (block * 64 < end && !reference.block_has_ambiguous(block)) {
    ++block;
  }
  if (block * 64 >= end) {
    return 0;
  }
  const auto& runs = reference.ambiguous_runs();
  std::uint64_t count = 0;
  for (auto run = std::partition_point(runs.begin(), runs.end(),
                                       [&](const AmbiguousRun& r) { return r.begin + r.length <= begin; });
       run != runs.end() && run->begin < end; ++run) {
    count += std::min(end, run->begin + run->length) - std::max(begin, run->begin);
  }
  return count;
}

bool allows_end(const Reference& reference, const AmbiguousLimit& limit, std::uint64_t length, std::uint64_t end) {
  return limit.allows(count_ambiguous(reference, end + 1 - std::min(end + 1, length), end + 1), length);
}

}  // namespace trawl::sequence
