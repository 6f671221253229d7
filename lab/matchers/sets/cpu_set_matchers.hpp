// The matchers of sets (list.txt) on the CPU.
//
//   const PatternSet set({"ACA", "GATTACA"});
//   for (const CpuSetMatcher& matcher : cpu_set_matchers()) {
//     const auto prepared = matcher.prepare(set);
//     const SetFound found = prepared->search("GATTACAGATTACA", {.output = SetOutput::positions});
//     found.count == 4;
//     found.positions == std::vector<SetMatch>{{6, 0}, {6, 1}, {13, 0}, {13, 1}};
//   }
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/made_text.hpp"
#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/sets/set_matcher.hpp"

namespace trawl::matchers {

/// The form of a result.
enum class SetOutput {
  count,      // the number of occurrences
  stretches,  // for each stretch of the text the number of occurrences that end in it, as in the paper
  patterns,   // for each pattern the number of its occurrences
  positions,  // each occurrence
};

/// How to search a text.
struct SetWork {
  bool all_threads = false;   // use all threads of oneTBB
  std::uint64_t stretch = 0;  // characters of a stretch; 0: the whole text on one thread, chosen on all threads
  SetOutput output = SetOutput::count;
};

/// An occurrence of a pattern of a PatternSet.
struct SetMatch {
  std::uint64_t end = 0;  // its last character
  std::uint32_t pattern = 0;

  auto operator<=>(const SetMatch&) const = default;
};

/// A result is known by its number of occurrences and the sum of their hashes, modulo 2^64, in any order.
TRAWL_HOST_DEVICE constexpr std::uint64_t hash_of(const SetMatch& match) {
  return mixed(match.end * 0x9E3779B97F4A7C15u + match.pattern);
}

struct SetFound {
  std::uint64_t count = 0;               // whatever the output
  std::vector<std::uint64_t> stretches;  // stretches
  std::vector<std::uint64_t> patterns;   // patterns
  std::vector<SetMatch> positions;       // positions: by end, then by pattern
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
  const SetFacts* facts;
  /// Throws UsageError for a set that is too large.
  std::unique_ptr<PreparedSet> (*prepare)(const PatternSet& set);
};

/// All matchers of sets, in the order of list.txt.
const std::vector<CpuSetMatcher>& cpu_set_matchers();

namespace internal {

/// What is found in one stretch; only the members that the output asks for are used.
struct StretchFound {
  std::uint64_t count = 0;
  std::uint64_t* patterns = nullptr;  // of this thread
  std::vector<SetMatch> positions;
};

/// Searches [begin, end) and adds to `found`.
using SearchSetStretch = std::function<void(std::uint64_t begin, std::uint64_t end, StretchFound& found)>;

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
    const auto view = view_tables<Matcher>(tables_, [](const auto& array) { return array.data(); });
    const HostText characters(text);
    return search_set_in_stretches(
        text.size(), longest_, patterns_, how, [&](std::uint64_t begin, std::uint64_t end, StretchFound& found) {
          if (how.output == SetOutput::patterns) {
            Matcher::scan(view, characters, begin, end, [&](std::uint32_t p, std::uint64_t) { ++found.patterns[p]; });
          } else if (how.output == SetOutput::positions) {
            Matcher::scan(view, characters, begin, end, [&](std::uint32_t p, std::uint64_t j) {
              found.positions.push_back({j, p});
            });
          } else {
            std::uint64_t count = 0;
            Matcher::scan(view, characters, begin, end, [&](std::uint32_t, std::uint64_t) { ++count; });
            found.count += count;
          }
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
