// What all experiments do: they choose the engine, take times, and print rows that -o also gets.
//
//   Bench bench(options);
//   const double seconds = median(times(options.repeats, [&] { search(); }));
//   bench.add({{"engine", bench.engine()}, {"ms", number(seconds * 1e3)}});
//   bench.finish();
#pragma once

#include <time.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "lab/bench_options.hpp"

namespace trawl::lab {

/// Seconds that a call of `work` takes.
template <class Work>
double seconds_of(Work&& work) {
  double seconds = 0;
  Stopwatch watch;
  work();
  watch.lap(seconds);
  return seconds;
}

/// Seconds that cores work for this process during a call of `work`, all its threads together. If other programs take
/// the cores, the call takes longer, but not more of these seconds.
template <class Work>
double cpu_seconds_of(Work&& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}

/// Seconds of each of `repeats` calls.
template <class Work>
std::vector<double> times(unsigned repeats, Work&& work) {
  std::vector<double> seconds;
  for (unsigned r = 0; r < repeats; ++r) {
    seconds.push_back(seconds_of(work));
  }
  return seconds;
}

/// The median; of an even number of values, the larger of the two in the middle.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A number with four significant digits.
std::string number(double value);

class Bench {
 public:
  using Row = std::vector<std::pair<std::string, std::string>>;  // column, value; all rows have the same columns

  /// Chooses the engine. With "auto" it says on stderr which one and, if it is the CPU, why. Throws Error if "cuda" is
  /// not possible, UsageError if an option is for the other engine.
  explicit Bench(const Options& options);

  const std::string& engine() const { return engine_; }
  bool on_device() const { return engine_ == "cuda"; }
  /// Prints the row as TSV; before the first row it prints the names of the columns.
  void add(const Row& row);
  /// Keeps the row for -o only.
  void keep(const Row& row) { rows_.push_back(row); }
  /// Writes -o. Throws Error.
  void finish() const;

 private:
  const Options& options_;
  std::string engine_;
  std::vector<Row> rows_;
  bool is_printed_ = false;
};

/// Threads on the CPU, with 0 filled in.
inline unsigned used_threads(unsigned threads) {
  return threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace trawl::lab
