#include "lab/matchers/sets/pattern_set.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace trawl::matchers {

PatternSet::PatternSet(const std::vector<std::string>& patterns) : numbers_(patterns.size()) {
  if (patterns.empty()) {
    throw UsageError("a set of patterns must have at least one pattern");
  }
  if (patterns.size() > kMostPatterns) {
    throw UsageError("a set of " + std::to_string(patterns.size()) + " patterns; at most " +
                     std::to_string(kMostPatterns) + " are possible");
  }
  std::vector<std::uint32_t> order(patterns.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return patterns[a] < patterns[b]; });
  shortest_ = patterns[order[0]].size();
  if (shortest_ == 0) {
    throw UsageError("a pattern of a set is empty");
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& pattern = patterns[order[i]];
    if (i == 0 || pattern != patterns[order[i - 1]]) {
      offsets_.push_back(letters_.size());
      letters_ += pattern;
      shortest_ = std::min<std::uint64_t>(shortest_, pattern.size());
      longest_ = std::max<std::uint64_t>(longest_, pattern.size());
    }
    numbers_[order[i]] = static_cast<std::uint32_t>(offsets_.size() - 1);
  }
  offsets_.push_back(letters_.size());
}

}  // namespace trawl::matchers
