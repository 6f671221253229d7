// trawl-bench: runs, checks and times the published algorithms that Trawl grew out of.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/version.hpp"
#include "lab/bench_options.hpp"
#include "ranks/cluster.hpp"

namespace trawl::lab {

namespace {

std::vector<Experiment> all_experiments() {
  std::vector<Experiment> all = pattern_experiments();
  all.insert(all.begin() + 1, multi_experiment());
  return all;
}

std::string help(const std::vector<Experiment>& experiments) {
  std::ostringstream text;
  text << "trawl-bench: runs, checks and times published string matching algorithms, which Trawl is built on.\n\n"
          "Usage: trawl-bench EXPERIMENT [OPTIONS]\n\nExperiments:\n";
  for (const Experiment& experiment : experiments) {
    text << "  " << std::left << std::setw(12) << experiment.name << experiment.description << '\n';
  }
  text << "\n"
          "trawl-bench EXPERIMENT --help shows its options, the columns of its table, and examples. The exit status\n"
          "is 0 if the work is done, 1 if the input or the machine failed or a result is wrong, 2 if the command line\n"
          "is wrong.\n";
  return text.str();
}

int run(int argc, char** argv) {
  std::string name = "trawl-bench";
  std::optional<ranks::Cluster> cluster;
  const auto fail = [&](const std::string& what, int status) {
    const bool is_alone = !cluster || cluster->is_alone();
    std::cerr << name + ": " + (is_alone ? "" : cluster->name() + ": ") + what + "\n";
    if (!is_alone) {
      cluster->abort(status);
    }
    return status;
  };
  try {
    cluster.emplace();
    const std::vector<Experiment> experiments = all_experiments();
    const std::string word = argc > 1 ? argv[1] : "";
    if (word == "--version" || word == "-v") {
      std::cout << (cluster->is_first() ? name + " " + version() + "\n" : "");
      return 0;
    }
    if (word.empty() || word == "--help" || word == "-h" || word == "help") {
      (word.empty() ? std::cerr : std::cout) << (cluster->is_first() ? help(experiments) : "");
      return word.empty() ? 2 : 0;
    }
    std::optional<Options> options;
    const auto chosen = std::find_if(experiments.begin(), experiments.end(),
                                     [&](const Experiment& experiment) { return experiment.name == word; });
    name += chosen != experiments.end() ? " " + word : "";
    cluster->together([&] {
      if (chosen == experiments.end()) {
        throw UsageError("there is no experiment '" + word + "'; 'trawl-bench --help' names them");
      }
      options = read_options(*chosen, argc - 1, argv + 1, cluster->is_first());
    });
    if (options && (cluster->is_first() || word == "multi")) {
      chosen->run(*options, *cluster);
    }
    return 0;
  } catch (const ranks::AgreedError& error) {
    std::cerr << (cluster->is_first() ? name + ": " + error.what() + "\n" : "");
    return error.status();
  } catch (const UsageError& error) {
    return fail(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for the text, the tables and the result: give a smaller -n" + memory_limit_text(),
                1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

}  // namespace

}  // namespace trawl::lab

// The work's errors are caught in run().
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) { return trawl::lab::run(argc, argv); }
