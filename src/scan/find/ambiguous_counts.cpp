#include "scan/find/ambiguous_counts.hpp"

#include <algorithm>

namespace trawl::scan {

bool AmbiguousCounts::load(const sequence::Reference& reference, std::uint64_t first_word, std::uint64_t last) {
  first = first_word;
  is_ambiguous.clear();
  const std::uint64_t begin = 64 * first, end = 64 * last;
  const auto& runs = reference.ambiguous_runs();
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [&](const sequence::AmbiguousRun& r) { return r.begin + r.length <= begin; });
  for (; run != runs.end() && run->begin < end; ++run) {
    is_ambiguous.resize(last - first);
    const std::uint64_t run_end = std::min(end, run->begin + run->length);
    for (std::uint64_t at = std::max(begin, run->begin); at < run_end;) {
      const std::uint64_t stop = std::min(run_end, (at / 64 + 1) * 64);
      is_ambiguous[at / 64 - first] |= ~std::uint64_t{0} >> (64 - (stop - at)) << (at % 64);
      at = stop;
    }
  }
  before.resize(is_ambiguous.size());
  std::uint32_t sum = 0;
  for (std::size_t w = 0; w < before.size(); ++w) {
    before[w] = sum;
    sum += popcount(is_ambiguous[w]);
  }
  return any();
}

}  // namespace trawl::scan
