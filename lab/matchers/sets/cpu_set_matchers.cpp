#include "lab/matchers/sets/cpu_set_matchers.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace trawl::matchers {

PatternSet::PatternSet(std::vector<std::string> patterns) : given_(patterns.size()) {
  if (patterns.empty()) {
    throw UsageError("a set of patterns must have at least one pattern");
  }
  if (patterns.size() > kMostPatterns) {
    throw UsageError("a set of " + std::to_string(patterns.size()) + " patterns; at most " +
                     std::to_string(kMostPatterns) + " are possible");
  }
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  shortest_ = patterns[0].size();
  if (shortest_ == 0) {
    throw UsageError("a pattern of a set is empty");
  }
  for (const std::string& pattern : patterns) {
    offsets_.push_back(letters_.size());
    letters_ += pattern;
    shortest_ = std::min<std::uint64_t>(shortest_, pattern.size());
    longest_ = std::max<std::uint64_t>(longest_, pattern.size());
  }
  offsets_.push_back(letters_.size());
}

namespace internal {

SetFound search_set_in_stretches(std::uint64_t size, std::uint64_t longest, std::uint32_t patterns, const SetWork& how,
                                 const SearchSetStretch& search) {
  SetFound found;
  Stopwatch watch;
  const std::uint64_t stretch = stretch_length(size, longest, how.all_threads, how.stretch);
  found.stretch = stretch;
  const std::uint64_t stretches = (size + stretch - 1) / stretch;
  std::vector<std::uint64_t> counts(stretches);
  tbb::enumerable_thread_specific<std::vector<std::uint64_t>> of_patterns(
      [&] { return std::vector<std::uint64_t>(patterns); });
  for_each_stretch(stretches, how.all_threads, [&](std::uint64_t s) {
    std::uint64_t* const numbers = how.output == SetOutput::patterns ? of_patterns.local().data() : nullptr;
    counts[s] = search(s * stretch, std::min(size, (s + 1) * stretch), numbers);
  });
  if (how.output == SetOutput::patterns) {
    found.patterns.resize(patterns);
    for (const auto& of_thread : of_patterns) {
      std::transform(of_thread.begin(), of_thread.end(), found.patterns.begin(), found.patterns.begin(), std::plus<>());
    }
    counts = {std::accumulate(found.patterns.begin(), found.patterns.end(), std::uint64_t{0})};
  }
  found.count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (how.output == SetOutput::stretches) {
    found.stretches = std::move(counts);
  }
  watch.lap(found.search_seconds);
  return found;
}

}  // namespace internal

}  // namespace trawl::matchers
