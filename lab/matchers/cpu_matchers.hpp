// The matchers of list.txt on the CPU: over the whole text on one thread, or in stretches on all threads.
//
//   for (const CpuMatcher& matcher : cpu_matchers()) {
//     if (std::string(matcher.facts->name) == "shift-or") {
//       matcher.run("GATTACAGATTACA", "ACA", {}).list == {6, 13}
//     }
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/stopwatch.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// How to search a text.
struct CpuWork {
  bool all_threads = false;   // use all threads of oneTBB
  std::uint64_t stretch = 0;  // characters per call of scan(); 0: the whole text on one thread, chosen on all threads
};

struct CpuEnds {
  std::vector<std::uint64_t> list;  // the positions where a match ends, ascending
  double prepare_seconds = 0;       // for the table
  double search_seconds = 0;        // for the search, the result's memory included
};

struct CpuMatcher {
  const MatcherFacts* facts;
  /// Throws UsageError for a pattern that is empty or too long.
  CpuEnds (*run)(std::string_view text, std::string_view pattern, const CpuWork& how);
};

/// All matchers, in the order of list.txt.
const std::vector<CpuMatcher>& cpu_matchers();

/// A text in host memory, in the form that scan() takes.
class HostText {
 public:
  explicit HostText(std::string_view text) : text_(text) {}

  std::uint64_t size() const { return text_.size(); }
  unsigned char operator[](std::uint64_t j) const { return static_cast<unsigned char>(text_[j]); }

 private:
  std::string_view text_;
};

namespace internal {

/// The characters of a stretch of a text of `size` characters, if a match has at most `m`. `wanted`: 0: the whole text
/// for one thread, chosen for all threads.
std::uint64_t stretch_length(std::uint64_t size, std::uint64_t m, bool all_threads, std::uint64_t wanted);

/// Calls work(0) to work(stretches - 1), in order on one thread, or on all.
void for_each_stretch(std::uint64_t stretches, bool all_threads, const std::function<void(std::uint64_t)>& work);

/// What a matcher emits in one stretch. An end is only noted here, and put in its place together with others, so that
/// scan() stays short and takes the same time for each form of the result.
class EndSink {
 public:
  EndSink(const MatcherFacts& facts, std::uint64_t begin, std::uint64_t end)
      : facts_(facts), begin_(begin), end_(end) {}

  void operator()(std::uint64_t j) {
    noted_[used_] = j;
    if (++used_ == kRoom) {
      store();
    }
  }
  /// Emits j + i for every bit i that is 1. Faster than one by one if many are.
  void emit_bits(std::uint64_t j, std::uint64_t bits);

  /// To be called after the last end. It and the functions above throw std::logic_error for an end outside the stretch.
  void finish();
  std::vector<std::uint64_t>& list() { return list_; }  // ascending

 private:
  static constexpr unsigned kRoom = 512;

  void store();
  void reserve();
  void check();

  const MatcherFacts& facts_;
  std::uint64_t begin_, end_;
  std::uint64_t last_ = 0;  // end that was stored
  bool ascending_ = true;   // are the ends stored so far
  std::vector<std::uint64_t> list_;
  unsigned used_ = 0;
  std::uint64_t noted_[kRoom];
};

/// Emits the ends in [begin, end).
using SearchStretch = std::function<void(std::uint64_t begin, std::uint64_t end, EndSink& emit)>;

/// Searches a text of `size` characters for a pattern of `m` characters.
CpuEnds search_in_stretches(const MatcherFacts& facts, std::uint64_t size, std::uint64_t m, const CpuWork& how,
                            const SearchStretch& search);

template <class Matcher>
CpuEnds run_on_cpu(std::string_view text, std::string_view pattern, const CpuWork& how) {
  double prepare_seconds = 0;
  Stopwatch watch;
  const auto table = prepare_table<Matcher>(pattern, text);
  watch.lap(prepare_seconds);
  CpuEnds found = search_in_stretches(Matcher::kFacts, text.size(), pattern.size(), how,
                                      [&table = *table, text](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
                                        if constexpr (requires { Matcher::search(table, text, begin, end, emit); }) {
                                          Matcher::search(table, text, begin, end, emit);
                                        } else {
                                          Matcher::scan(table, HostText(text), begin, end, emit);
                                        }
                                      });
  found.prepare_seconds = prepare_seconds;
  return found;
}

template <class Matcher>
constexpr CpuMatcher cpu_matcher() {
  return {&Matcher::kFacts, &run_on_cpu<Matcher>};
}

}  // namespace internal

}  // namespace trawl::matchers
