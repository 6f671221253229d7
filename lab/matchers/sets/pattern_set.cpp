#include "lab/matchers/sets/pattern_set.hpp"

#include <algorithm>

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

}  // namespace trawl::matchers
