// Runs one exact matcher on one text, checked and timed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/bench_exact_algorithms.hpp"
#include "lab/bench_exact_options.hpp"
#include "lab/bench_exact_text.hpp"

namespace trawl::lab {

/// A pattern with its right result.
struct CheckedPattern {
  std::string pattern;
  std::vector<std::uint64_t> ends;
};

/// What differs between rows with the same algorithm and the same patterns.
struct ExactSetting {
  unsigned threads = 1;  // on the CPU; not 0
  std::string memory = "auto";
  unsigned streams = 1;
};

struct Measurement {
  double prepare_seconds = 0;
  double search_seconds = 0;   // the median
  double fastest_seconds = 0;  // of all runs
  double slowest_seconds = 0;
  std::string threads;  // on the device: blocks x threads
  std::string memory = "-";
  std::string stretch = "-";
};

/// Searches one text. The text, and on the device its copy there, is kept from run to run.
class ExactRunner {
 public:
  /// `longest`: of all patterns. All must outlive the runner.
  ExactRunner(const ExactText& text, const ExactOptions& options, bool on_device, unsigned longest);
  ~ExactRunner();
  ExactRunner(const ExactRunner&) = delete;
  ExactRunner& operator=(const ExactRunner&) = delete;

  /// Why the algorithm cannot search for this pattern here; empty: it can.
  std::string refusal(const ExactAlgorithm& algorithm, const std::string& pattern) const;
  /// `repeats` timed runs, and a check of the result. Throws Error if it is wrong.
  Measurement run(const ExactAlgorithm& algorithm, const CheckedPattern& pattern, const ExactSetting& setting,
                  unsigned repeats);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The mean over several patterns.
struct ExactMean {
  double prepare_seconds = 0;
  double search_seconds = 0;
  double fastest_seconds = 0;
  std::uint64_t matches = 0;  // of all patterns together
  Measurement last;           // of the last pattern
  Measurement disturbed;      // of the pattern whose runs differ most, if they differ by more than half; else all 0
};

/// Runs the algorithm for each of the patterns; there is at least one.
ExactMean run_mean(ExactRunner& runner, const ExactAlgorithm& algorithm, const std::vector<CheckedPattern>& patterns,
                   const ExactSetting& setting, unsigned repeats);

}  // namespace trawl::lab
