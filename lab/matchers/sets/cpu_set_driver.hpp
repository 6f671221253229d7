// Runs a matcher of sets (set_matcher.hpp) on the CPU: over the whole text on one thread, or in stretches on all
// threads.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "lab/matchers/cpu_driver.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"
#include "lab/matchers/sets/set_matcher.hpp"

namespace trawl::matchers::internal {

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

}  // namespace trawl::matchers::internal
