#include "lab/bench_exact.hpp"

#include <algorithm>
#include <iostream>
#include <new>
#include <set>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "cli/signals.hpp"
#include "lab/bench_engine.hpp"
#include "lab/bench_exact_algorithms.hpp"
#include "lab/bench_exact_check.hpp"
#include "lab/bench_exact_recommend.hpp"
#include "lab/bench_exact_run.hpp"
#include "lab/bench_exact_text.hpp"
#include "lab/bench_table.hpp"

namespace trawl::lab {

namespace {

using Patterns = std::vector<CheckedPattern>;

std::vector<ExactSetting> settings_of(const ExactOptions& o, bool on_device) {
  std::vector<ExactSetting> settings;
  if (!on_device) {
    for (const unsigned threads : o.threads) {
      settings.push_back({.threads = threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : threads});
    }
    return settings;
  }
  for (const std::string& memory : o.memories) {
    for (const unsigned streams : o.streams.empty() ? std::vector{1u} : o.streams) {
      settings.push_back({.memory = memory, .streams = streams});
    }
  }
  return settings;
}

std::string described(const ExactSetting& setting, const ExactOptions& options, bool on_device) {
  if (on_device) {
    return "cuda" + (setting.memory == "auto" ? "" : ", table in " + setting.memory + " memory") +
           (options.copies()
                ? ", copies on " + std::to_string(setting.streams) + (setting.streams == 1 ? " stream" : " streams") +
                      " from " + (options.pinned ? "pinned" : "pageable") + " memory"
                : "");
  }
  return setting.threads == 1 ? "1 thread" : std::to_string(setting.threads) + " threads";
}

std::string speed(const ExactText& text, double seconds) {
  return number(static_cast<double>(text.characters.size()) / seconds / 1e9);
}

// Algorithms whose fastest runs differ by no more than this are equally good.
constexpr double kTie = 1.05;

class ExactExperiment {
 public:
  ExactExperiment(const ExactOptions& options, bool on_device)
      : options_(options),
        on_device_(on_device),
        algorithms_(choose_algorithms(options.algorithms, on_device)),
        settings_(settings_of(options, on_device)) {
    if (options.recommend) {
      std::erase_if(algorithms_, [](const ExactAlgorithm& algorithm) { return algorithm.is_trawl_scan(); });
      if (algorithms_.empty()) {
        throw UsageError("--recommend takes algorithms that search the text as it is; trawl-scan packs it first");
      }
    }
  }

  void run_text(const ExactText& text) {
    // First all patterns are cut, so that a length that is not possible is reported before a row.
    std::vector<std::vector<std::string>> pieces;
    if (options_.pattern.empty()) {
      for (const unsigned m : options_.pattern_lengths) {
        pieces.push_back(cut_pieces(text, m, options_.patterns, options_.seed));
      }
    } else if (options_.pattern.size() > text.characters.size()) {
      throw UsageError("-p: the pattern of " + std::to_string(options_.pattern.size()) +
                       " characters is longer than the text, " + text.name + " of " +
                       std::to_string(text.characters.size()));
    } else {
      pieces = {{options_.pattern}};
    }
    std::size_t longest = 0;
    for (const auto& of_one_length : pieces) {
      longest = std::max(longest, of_one_length.front().size());
    }
    ExactRunner runner(text, options_, on_device_, static_cast<unsigned>(longest));
    for (const auto& of_one_length : pieces) {
      Patterns patterns;
      for (const std::string& pattern : of_one_length) {
        patterns.push_back({pattern, expected_ends(text.characters, pattern)});
      }
      const auto algorithms = those_for(patterns, runner);
      for (const ExactSetting& setting : settings_) {
        options_.recommend ? recommend(text, algorithms, patterns, setting, runner)
                           : run_all(text, algorithms, patterns, setting, runner);
      }
    }
    if (options_.recommend && !text.bases.empty()) {
      std::cout << "The text is DNA: 'trawl scan', made for it, packs it to 2 bits a base (the row " << kTrawlScan
                << " without --recommend).\n";
    }
  }

  void write() const {
    if (!options_.tsv.empty()) {
      table_.write_tsv(options_.tsv);
    }
  }

 private:
  // The algorithms that can search for all of the patterns.
  std::vector<ExactAlgorithm> those_for(const Patterns& patterns, const ExactRunner& runner) {
    std::vector<ExactAlgorithm> able;
    for (const ExactAlgorithm& algorithm : algorithms_) {
      std::string why;
      for (std::size_t i = 0; i < patterns.size() && why.empty(); ++i) {
        why = runner.refusal(algorithm, patterns[i].pattern);
      }
      if (why.empty()) {
        able.push_back(algorithm);
        continue;
      }
      leave_out(algorithm, why);
    }
    return able;
  }

  // An algorithm that cannot search. Throws UsageError if the user named it.
  void leave_out(const ExactAlgorithm& algorithm, const std::string& why) {
    const auto& words = options_.algorithms;
    if (std::count(words.begin(), words.end(), algorithm.facts->code) != 0 ||
        std::count(words.begin(), words.end(), algorithm.facts->name) != 0) {
      throw UsageError("--algorithm " + algorithm.code() + ": " + why);
    }
    if (notes_.insert(algorithm.code() + why).second) {
      std::cerr << "trawl-bench exact: no row for " << algorithm.code() << ": " << why << '\n';
    }
  }

  void run_all(const ExactText& text, const std::vector<ExactAlgorithm>& algorithms, const Patterns& patterns,
               const ExactSetting& setting, ExactRunner& runner) {
    for (const ExactAlgorithm& algorithm : algorithms) {
      ExactMean mean;
      try {
        mean = run_mean(runner, algorithm, patterns, setting, options_.repeats);
      } catch (const UsageError& error) {  // for example, the table does not fit into this memory of the device
        leave_out(algorithm, error.what());
        continue;
      }
      add_row(text, algorithm, patterns, setting, mean, std::cout);
    }
  }

  void recommend(const ExactText& text, const std::vector<ExactAlgorithm>& algorithms, const Patterns& patterns,
                 const ExactSetting& setting, ExactRunner& runner) {
    const auto ranked = fastest_algorithms(text, options_, on_device_, algorithms, patterns, setting, runner);
    if (ranked.empty()) {
      throw UsageError("--recommend: no algorithm can search for these patterns with this --memory and --stride");
    }
    std::cout << "m = " << patterns.front().pattern.size() << ", " << text.name << " (" << text.characters.size()
              << " bytes), " << described(setting, options_, on_device_) << ":\n";
    std::ostringstream nowhere;
    for (const RankedAlgorithm& one : ranked) {
      const matchers::MatcherFacts& facts = *one.algorithm.facts;
      const bool is_tie = one.mean.fastest_seconds <= kTie * ranked.front().mean.fastest_seconds;
      const char* place = &one == &ranked.front() ? "  fastest  " : is_tie ? "  tie      " : "           ";
      std::cout << place << facts.code << "  " << speed(text, one.mean.fastest_seconds) << " GB/s  " << facts.name
                << " (" << facts.paper() << ")\n";
      add_row(text, one.algorithm, patterns, setting, one.mean, nowhere);
    }
    std::cout << std::flush;
  }

  void add_row(const ExactText& text, const ExactAlgorithm& algorithm, const Patterns& patterns,
               const ExactSetting& setting, const ExactMean& mean, std::ostream& out) {
    const bool copies = on_device_ && options_.copies();
    table_.add({{"algorithm", algorithm.code()},
                {"m", std::to_string(patterns.front().pattern.size())},
                {"engine", on_device_ ? "cuda" : "cpu"},
                {"threads", mean.last.threads},
                {"matches", std::to_string(mean.matches)},
                {"prepare_ms", number(mean.prepare_seconds * 1e3)},
                {"search_ms", number(mean.search_seconds * 1e3)},
                {"GB/s", speed(text, mean.search_seconds)},
                {"text", text.name},
                {"text_bytes", std::to_string(text.characters.size())},
                {"letters", std::to_string(text.letters)},
                {"memory", mean.last.memory},
                {"stretch", mean.last.stretch},
                {"streams", copies ? std::to_string(setting.streams) : "-"},
                {"pinned", copies ? (options_.pinned ? "yes" : "no") : "-"},
                {"output", algorithm.is_trawl_scan() ? "list" : options_.output},
                {"patterns", std::to_string(patterns.size())},
                {"min_ms", number(mean.fastest_seconds * 1e3)}},
               out);
    if (const Measurement& worst = mean.disturbed; worst.slowest_seconds > 0) {
      std::cerr << "trawl-bench exact: disturbed: the runs of " << algorithm.code()
                << ", m = " << patterns.front().pattern.size() << " took " << number(worst.fastest_seconds * 1e3)
                << " to " << number(worst.slowest_seconds * 1e3) << " ms; is something else running here?\n";
    }
  }

  const ExactOptions& options_;
  bool on_device_;
  std::vector<ExactAlgorithm> algorithms_;
  std::vector<ExactSetting> settings_;
  BenchTable table_{BenchTable::Form::tsv};
  std::set<std::string> notes_;
};

void check_engine(const std::string& engine, const ExactOptions& options) {
  if (engine == "cpu" && !options.for_cuda_only.empty()) {
    throw UsageError(options.for_cuda_only + " is for --engine cuda; the engine is cpu here");
  }
  if (engine == "cuda" && !options.for_cpu_only.empty()) {
    throw UsageError(options.for_cpu_only +
                     " is for --engine cpu; on the GPU there are blocks of threads, chosen by the program");
  }
}

}  // namespace

void run_exact(const ExactOptions& options) {
  check_engine(options.engine, options);
  const std::string engine = choose_bench_engine(options.engine);
  check_engine(engine, options);
  if (!options.tsv.empty()) {
    cli::remove_output_on_signals("trawl-bench exact");
  }
  ExactExperiment experiment(options, engine == "cuda");
  try {
    for_each_text(options, [&](const ExactText& text) { experiment.run_text(text); });
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory for the text and the result: give a smaller -n, or --output count");
  }
  experiment.write();
}

}  // namespace trawl::lab
