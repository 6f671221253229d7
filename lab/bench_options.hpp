// The experiments of `trawl-bench` and their options: one table for all, from which each takes those that it names.
//
//   Experiment experiment{.name = "asm-hmm", .options = "--parts --rows --sequential ", ...};
//   if (const auto options = read_options(experiment, argc, argv)) {   // nothing: the help was shown
//     for (const unsigned parts : options->numbers("--parts")) ...
//     experiment.run(*options, cluster);
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trawl::ranks {
class Cluster;
}

namespace trawl::lab {

/// The lengths of patterns: each is random from `shortest` to `longest`, which differ only in a set.
struct LengthRange {
  unsigned shortest = 0;
  unsigned longest = 0;

  /// "8", or "8-32".
  std::string name() const {
    return std::to_string(shortest) + (shortest == longest ? "" : "-" + std::to_string(longest));
  }
};

/// The values of all options, by their long names: those given, or the defaults. A list has values that are different;
/// each combination of the values of all lists gives a row.
class Options {
 public:
  const std::vector<std::string>& words(const std::string& name) const { return values_.at(name); }
  /// The first one; "" if there is none.
  std::string word(const std::string& name) const { return words(name).empty() ? "" : words(name).front(); }
  template <class T = unsigned>
  std::vector<T> numbers(const std::string& name) const {
    std::vector<T> numbers;
    for (const std::string& value : words(name)) {
      numbers.push_back(static_cast<T>(std::stoull(value)));
    }
    return numbers;
  }
  unsigned number(const std::string& name) const { return numbers(name).front(); }
  std::vector<LengthRange> pattern_lengths() const;
  /// Whether it is on the command line.
  bool has(const std::string& name) const { return given_.contains(name); }

  /// Whether the text is a file.
  bool is_file() const { return has("--text") || has("--fasta"); }
  /// Throws UsageError if an option is for another engine than this one; nothing is known about "auto".
  void check_engine(const std::string& chosen) const;
  void set(const std::string& name, const std::vector<std::string>& values) { values_[name] = values; }
  void give(const std::string& name) { given_.insert(name); }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::set<std::string> given_;
};

/// A command of `trawl-bench`.
struct Experiment {
  std::string name;
  std::string description;
  std::string options;               // the long names of those that not every experiment has, with a blank after each
  std::vector<std::string> outputs;  // the words of --output; the first one is its default; empty: no such option
  std::map<std::string, std::string> defaults = {};  // other than those of the table
  std::string footer;
  /// Under mpirun, all ranks call it.
  std::function<void(const Options&, ranks::Cluster&)> run;
};

/// The options that follow the experiment's name in argv[0]. If the help is asked for, returns nothing; one rank
/// (`shows_help`) prints it. Throws UsageError for what is wrong or does not fit together, before anything is read;
/// Error if -o cannot be written.
std::optional<Options> read_options(const Experiment& experiment, int argc, const char* const* argv,
                                    bool shows_help = true);

// The experiments.

/// Exact matchers, GBPR, cuShiftOr and WsPASM, which say where a pattern ends, and ASM, which finds what is nearest to
/// it (bench_patterns.cpp).
std::vector<Experiment> pattern_experiments();
/// Sets of patterns (bench_multi.cpp).
Experiment multi_experiment();

}  // namespace trawl::lab
