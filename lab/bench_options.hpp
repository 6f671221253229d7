// The experiments of `trawl-bench` and their options: one table for all, from which each takes those that it names.
//
//   Experiment experiment{.name = "asm-hmm", .options = "--pattern --parts --rows --sequential ", ...};
//   if (const auto options = read_options(experiment, argc, argv)) {   // nothing: the help was shown
//     experiment.run(*options, cluster);
//   }
#pragma once

#include <cstdint>
#include <functional>
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
  bool operator==(const LengthRange&) const = default;
};

/// A list has values that are different. Each combination of the values of all lists gives a row.
struct Options {
  bool list = false;
  bool recommend = false;
  std::vector<std::string> algorithms = {"all"};

  std::string made = "dna";  // english, protein, dna, random
  std::string text = {};     // a file of any bytes
  std::string fasta = {};
  std::vector<std::uint64_t> lengths = {};  // 0: all of a file
  std::vector<unsigned> sigma = {4};
  std::uint64_t seed = 1;

  std::string pattern = {};
  std::vector<LengthRange> pattern_lengths = {{24, 24}};
  std::vector<unsigned> patterns = {1};
  std::string pattern_file = {};
  std::vector<unsigned> max_edits = {0};

  std::vector<unsigned> alphas = {0};
  std::vector<std::string> segments = {"streamed"};
  std::vector<std::string> variants = {"wspasm-shared"};
  std::vector<unsigned> columns = {0};
  std::vector<unsigned> parts = {0};
  std::vector<unsigned> rows = {0};

  std::string engine = "auto";
  std::vector<unsigned> threads = {1};
  std::vector<std::string> memories = {"auto"};
  std::vector<unsigned> streams = {};  // empty: the text lies on the device
  bool pinned = false;
  std::vector<std::string> stages = {"cw"};
  std::vector<unsigned> ranks = {};  // under mpirun; empty: all
  std::vector<std::string> outputs = {};
  unsigned repeats = 5;
  bool sequential = false;
  std::string tsv = {};

  std::set<std::string> given = {};  // the long names of those on the command line

  bool is_given(const std::string& name) const { return given.count(name) > 0; }
  /// Whether the text lies in the memory of the host and its copy to the device is a part of the time.
  bool copies() const { return pinned || !streams.empty(); }
  /// Throws UsageError if an option is for another engine than this one; nothing is known about "auto".
  void check_engine(const std::string& chosen) const;
};

/// A command of `trawl-bench`.
struct Experiment {
  std::string name;
  std::string description;
  std::string options;               // the long names of those that not every experiment has, with a blank after each
  std::vector<std::string> outputs;  // the words of --output; the first one is its default; empty: no such option
  Options defaults = {};
  std::string footer;
  /// Under mpirun, all ranks call it.
  std::function<void(const Options&, ranks::Cluster&)> run;
};

/// The options that follow the experiment's name in argv[0]. Prints the help if it is asked for, and returns nothing.
/// Throws UsageError for what is wrong or does not fit together, before anything is read; Error if -o cannot be
/// written.
std::optional<Options> read_options(const Experiment& experiment, int argc, const char* const* argv);

// The experiments, one file for each kind.

/// Exact matchers beside each other (bench_exact.cpp), and sets of patterns (bench_multi.cpp).
Experiment exact_experiment();
Experiment multi_experiment();
/// Whether a match ends at each position (bench_ends.cpp): the matchers of lab/matchers/list.txt that take edits,
/// cuShiftOr and WsPASM.
std::vector<Experiment> ends_experiments();
/// The nearest substring (bench_asm.cpp).
Experiment asm_experiment();

/// Whether it is the code or name of an exact matcher.
bool is_exact_matcher(const std::string& word);

}  // namespace trawl::lab
