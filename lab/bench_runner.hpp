// What all experiments do: they choose the engine and the algorithms, take times, and print rows that -o also gets.
//
//   Bench bench(options);
//   const double seconds = bench.median_of("kmp", times(options.number("--repeats"), [&] { search(); }));
//   bench.add({{"engine", bench.engine()}, {"ms", number(seconds * 1e3)}});
//   bench.finish();
#pragma once

#include <time.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "lab/bench_options.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/matcher.hpp"

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

/// An algorithm of lab/matchers/list.txt, and the engines that have it.
struct Algorithm {
  const matchers::MatcherFacts* facts;
  bool on_cpu = false;
  bool on_cuda = false;

  /// As in --algorithm: its code, or its name if it has none.
  std::string code() const { return facts->code[0] != '\0' ? facts->code : facts->name; }
  bool is(const std::string& word) const { return word == facts->code || word == facts->name; }
};

/// Adds the matchers of an engine; `on`: &Algorithm::on_cpu or &Algorithm::on_cuda.
template <class Matchers>
void add_algorithms(std::vector<Algorithm>& all, const Matchers& matchers, bool Algorithm::*on) {
  for (const auto& matcher : matchers) {
    auto at = std::find_if(all.begin(), all.end(), [&](const Algorithm& a) { return a.is(matcher.facts->name); });
    at = at == all.end() ? all.insert(at, {matcher.facts}) : at;
    *at.*on = true;
  }
}

/// The matcher of this algorithm.
template <class Matchers>
const auto& matcher_of(const Matchers& matchers, const Algorithm& algorithm) {
  return *std::find_if(matchers.begin(), matchers.end(),
                       [&](const auto& one) { return algorithm.is(one.facts->name); });
}

/// --list: code, name, year, limits and title of each, with tabs between.
void print_list(const std::vector<Algorithm>& all);

/// Columns and their values; all rows of a table have the same columns.
using Row = std::vector<std::pair<std::string, std::string>>;

Row operator+(Row a, const Row& b);

class Bench {
 public:
  /// Chooses the engine. With "auto" it says on stderr which one and, if it is the CPU, why. Throws Error if "cuda" is
  /// not possible, UsageError if an option is for the other engine.
  explicit Bench(const Options& options);

  const std::string& engine() const { return engine_; }
  bool on_device() const { return engine_ == "cuda"; }
  /// Those of --algorithm that run on the engine, in the order given, each once. Throws UsageError.
  std::vector<Algorithm> chosen(const std::vector<Algorithm>& all) const;
  /// --threads, of which the device has none.
  std::vector<unsigned> threads() const {
    return on_device() ? std::vector<unsigned>{1} : options_.numbers("--threads");
  }
  /// Says on stderr, once, why there is no row. Throws UsageError if the user named the algorithm.
  void leave_out(const Algorithm& algorithm, const std::string& why);
  /// The median of these seconds. If one is larger than another by more than half, stderr says so: something else runs
  /// here. `who`: for this message. Very short runs always differ.
  double median_of(const std::string& who, const std::vector<double>& seconds) const;
  /// Prints the row as TSV; before the first row it prints the names of the columns.
  void add(const Row& row);
  /// Writes -o. Throws Error.
  void finish() const;

 private:
  const Options& options_;
  std::string engine_;
  std::set<std::string> notes_;
  std::string table_;
};

/// The columns n, text and letters.
Row text_columns(const BenchText& text);

/// Threads on the CPU, with 0 filled in.
inline unsigned used_threads(unsigned threads) {
  return threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace trawl::lab
