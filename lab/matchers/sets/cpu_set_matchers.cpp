#include "lab/matchers/sets/cpu_set_matchers.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <numeric>

namespace trawl::matchers::internal {

SetFound search_set_in_stretches(std::uint64_t size, std::uint64_t longest, std::uint32_t patterns, const SetWork& how,
                                 const SearchSetStretch& search) {
  SetFound found;
  Stopwatch watch;
  const std::uint64_t stretch = stretch_length(size, longest, how.all_threads, how.stretch);
  found.stretch = stretch;
  const std::uint64_t stretches = (size + stretch - 1) / stretch;
  std::vector<std::uint64_t> counts(stretches);
  std::vector<std::vector<SetMatch>> lists(how.output == SetOutput::positions ? stretches : 0);
  tbb::enumerable_thread_specific<std::vector<std::uint64_t>> of_patterns(
      [&] { return std::vector<std::uint64_t>(patterns); });
  for_each_stretch(stretches, how.all_threads, [&](std::uint64_t s) {
    StretchFound here;
    if (how.output == SetOutput::patterns) {
      here.patterns = of_patterns.local().data();
    }
    search(s * stretch, std::min(size, (s + 1) * stretch), here);
    counts[s] = here.count;
    if (how.output == SetOutput::positions) {
      std::sort(here.positions.begin(), here.positions.end());
      counts[s] = here.positions.size();
      lists[s] = std::move(here.positions);
    }
  });
  if (how.output == SetOutput::patterns) {
    found.patterns.resize(patterns);
    for (const auto& of_thread : of_patterns) {
      std::transform(of_thread.begin(), of_thread.end(), found.patterns.begin(), found.patterns.begin(), std::plus<>());
    }
    counts = {std::accumulate(found.patterns.begin(), found.patterns.end(), std::uint64_t{0})};
  }
  found.count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (lists.size() == 1) {
    found.positions = std::move(lists[0]);
  } else if (!lists.empty()) {
    found.positions.reserve(found.count);
    for (const auto& list : lists) {
      found.positions.insert(found.positions.end(), list.begin(), list.end());
    }
  }
  if (how.output == SetOutput::stretches) {
    found.stretches = std::move(counts);
  }
  watch.lap(found.search_seconds);
  return found;
}

}  // namespace trawl::matchers::internal
