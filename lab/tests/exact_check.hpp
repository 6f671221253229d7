// Runs an exact matcher on a case in each way that the CPU driver has, and compares each form of the result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/matchers/cpu_matchers.hpp"
#include "lab/tests/exact_cases.hpp"
#include "tests/catch.hpp"
#include "tests/guarded_text.hpp"

namespace trawl::tests {

/// One run of a case.
struct ExactRun {
  bool at_end = false;  // whether the unreadable memory is after the text or before it
  matchers::CpuWork how;

  std::string words() const {
    const char* outputs[] = {"bytes", "bits", "list", "count"};
    return std::string(outputs[static_cast<unsigned>(how.output)]) + ", " +
           (how.all_threads ? "all threads" : "one thread") + ", stretches of " + std::to_string(how.stretch) +
           ", memory that cannot be read " + (at_end ? "after" : "before") + " the text";
  }
};

/// Four runs: with one stretch twice, with short ones, and on all threads (in every fourth turn only, because on a busy
/// machine this takes long). Each has another form of the result; which one goes with which depends on `turn`.
inline std::vector<ExactRun> exact_runs(std::size_t m, unsigned turn) {
  RandomCases random(turn);
  const std::uint64_t shortest = m > 130 ? 64 : 1;  // m - 1 characters are read before each stretch
  const std::uint64_t lengths[] = {1, 2, 7, 8, 64, m, m + 1, random.number(1, 100)};
  const std::uint64_t stretch = std::max(shortest, lengths[random.number(0, std::size(lengths) - 1)]);
  const auto output = [&](unsigned way) { return static_cast<matchers::Output>((way + turn) % 4); };
  return {
      {true, {.output = output(0)}},
      {false, {.output = output(1)}},
      {random.chance(0.5), {.stretch = stretch, .output = output(2)}},
      {random.chance(0.5),
       {.all_threads = turn / 4 % 4 == 0, .stretch = random.number(shortest, shortest + 300), .output = output(3)}}};
}

/// What is wrong with a result for c.text; empty if nothing is.
inline std::string fault_of(const matchers::CpuEnds& found, const ExactCase& c, matchers::Output output) {
  const auto differs = [&](std::uint64_t j, bool is_found) {
    return (is_found ? "reports " : "misses ") + std::to_string(j);
  };
  const auto at = [&](std::uint64_t j) { return std::binary_search(c.ends.begin(), c.ends.end(), j); };
  const std::size_t n = c.text.size();
  using enum matchers::Output;
  if (found.ends.size() != (output == bytes ? n : 0) || found.bits.size() != (output == bits ? (n + 63) / 64 : 0) ||
      (output != list && !found.list.empty())) {
    return "has the wrong form";
  }
  if (output == list && found.list != c.ends) {
    if (!std::is_sorted(found.list.begin(), found.list.end())) {
      return "has a list that is not ascending";
    }
    std::vector<std::uint64_t> different;
    std::set_symmetric_difference(found.list.begin(), found.list.end(), c.ends.begin(), c.ends.end(),
                                  std::back_inserter(different));
    return differs(different[0], !at(different[0])) + (at(different[0]) ? " or lists it twice" : "");
  }
  for (std::uint64_t j = 0; output == bytes && j < n; ++j) {
    if (found.ends[j] != (at(j) ? 1 : 0)) {
      return differs(j, found.ends[j] != 0);
    }
  }
  for (std::uint64_t j = 0; j < 64 * found.bits.size(); ++j) {
    const bool bit = ((found.bits[j / 64] >> (j % 64)) & 1) != 0;
    if (bit != at(j)) {
      return differs(j, bit);
    }
  }
  if (found.count != c.ends.size()) {
    return "counts " + std::to_string(found.count) + " in place of " + std::to_string(c.ends.size());
  }
  return "";
}

/// What is wrong with the matcher's results, as far as known; empty if nothing is. A read outside the text ends the
/// test.
inline std::string fault_of(const matchers::CpuMatcher& matcher, const ExactCase& c, const GuardedText& at_begin,
                            const GuardedText& at_end, unsigned turn) {
  for (const ExactRun& run : exact_runs(c.pattern.size(), turn)) {
    std::string fault;
    try {
      const auto text = (run.at_end ? at_end : at_begin).view();
      fault = fault_of(matcher.run(text, {.pattern = c.pattern}, run.how), c, run.how.output);
    } catch (const std::exception& e) {
      fault = e.what();
    }
    if (!fault.empty()) {
      return fault + " (" + run.words() + ")";
    }
  }
  return "";
}

/// The first fault of each of these matchers, by its name, on all cases of `rounds` rounds.
inline std::map<std::string, std::string> exact_faults(const std::vector<matchers::CpuMatcher>& tested,
                                                       unsigned rounds) {
  std::map<std::string, std::string> faults;
  unsigned turn = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    for (const unsigned m : exact_lengths()) {
      for (const ExactCase& c : exact_cases(m, round)) {
        const GuardedText at_begin(c.text, GuardedText::At::begin);
        const GuardedText at_end(c.text, GuardedText::At::end);
        ++turn;
        for (const matchers::CpuMatcher& matcher : tested) {
          const char* name = matcher.facts->name;
          if (faults.count(name) == 0) {
            CAPTURE(name, m, c.kind, round);  // for a crash
            if (const auto fault = fault_of(matcher, c, at_begin, at_end, turn); !fault.empty()) {
              faults[name] = "m = " + std::to_string(m) + ", " + c.kind + ": " + fault;
            }
          }
        }
      }
    }
  }
  return faults;
}

}  // namespace trawl::tests
