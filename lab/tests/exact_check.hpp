// Runs an exact matcher on a case in each way that the CPU driver has, and compares each form of the result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/bench_check.hpp"
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
  return lab::fault_of(lab::found_ends(output, c.text.size(), found.count, found.ends, found.bits, found.list), output,
                       c.ends);
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
