// The matchers of sets (list.txt) on the CPU.
//
//   const PatternSet set({"ACA", "GATTACA"});
//   for (const CpuSetMatcher& matcher : cpu_set_matchers()) {
//     const auto prepared = matcher.prepare(set);
//     const SetFound found = prepared->search("GATTACAGATTACA", {.output = SetOutput::patterns});
//     found.count == 4;
//     found.patterns == std::vector<std::uint64_t>{2, 2};
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/sets/set_matcher.hpp"

namespace trawl::matchers {

/// The form of a result.
enum class SetOutput {
  count,      // the number of occurrences
  stretches,  // for each stretch of the text the number of occurrences that end in it, as in the paper
  patterns,   // for each pattern the number of its occurrences
};

/// How to search a text.
struct SetWork {
  bool all_threads = false;   // use all threads of oneTBB
  std::uint64_t stretch = 0;  // characters of a stretch; 0: the whole text on one thread, chosen on all threads
  SetOutput output = SetOutput::count;
};

struct SetFound {
  std::uint64_t count = 0;               // whatever the output
  std::vector<std::uint64_t> stretches;  // stretches
  std::vector<std::uint64_t> patterns;   // patterns
  std::uint64_t stretch = 0;             // characters of a stretch
  double search_seconds = 0;             // the result's memory included
};

/// Tables of a matcher for a set of patterns.
class PreparedSet {
 public:
  virtual ~PreparedSet() = default;
  virtual SetFound search(std::string_view text, const SetWork& how) const = 0;
  virtual std::uint64_t table_bytes() const = 0;
};

struct CpuSetMatcher {
  const MatcherFacts* facts;
  /// Throws UsageError for a set that is too large.
  std::unique_ptr<PreparedSet> (*prepare)(const PatternSet& set);
};

/// All matchers of sets, in the order of list.txt.
const std::vector<CpuSetMatcher>& cpu_set_matchers();

namespace internal {

/// Searches [begin, end): adds to the number of each pattern, if there is a place for it, or returns the number of all.
using SearchSetStretch =
    std::function<std::uint64_t(std::uint64_t begin, std::uint64_t end, std::uint64_t* of_patterns)>;

/// Searches a text of `size` characters for `patterns` patterns of at most `longest` characters.
SetFound search_set_in_stretches(std::uint64_t size, std::uint64_t longest, std::uint32_t patterns, const SetWork& how,
                                 const SearchSetStretch& search);

template <class Matcher>
class PreparedTables : public PreparedSet {
 public:
  explicit PreparedTables(const PatternSet& set) : patterns_(set.size()), longest_(set.longest()) {
    Matcher::prepare(set, tables_);
  }

  std::uint64_t table_bytes() const override { return table_bytes_of<Matcher>(tables_); }

  // Each output has an instance of scan() of its own, so that one that only counts does nothing else.
  SetFound search(std::string_view text, const SetWork& how) const override {
    const auto view = place_tables<Matcher, PlainArray>(tables_, [](const auto& array) { return array.data(); });
    const HostText characters(text);
    return search_set_in_stretches(
        text.size(), longest_, patterns_, how, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t* of_patterns) {
          std::uint64_t count = 0;
          if (of_patterns != nullptr) {
            Matcher::scan(view, characters, begin, end, [&](std::uint32_t p, std::uint64_t) { ++of_patterns[p]; });
          } else {
            Matcher::scan(view, characters, begin, end, [&](std::uint32_t, std::uint64_t) { ++count; });
          }
          return count;
        });
  }

 private:
  HostTables<Matcher> tables_;
  std::uint32_t patterns_;
  std::uint64_t longest_;
};

template <class Matcher>
constexpr CpuSetMatcher cpu_set_matcher() {
  return {&Matcher::kFacts, [](const PatternSet& set) -> std::unique_ptr<PreparedSet> {
            return std::make_unique<PreparedTables<Matcher>>(set);
          }};
}

}  // namespace internal

}  // namespace trawl::matchers
