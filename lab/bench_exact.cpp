// exact: checks and times exact matchers beside each other.
#include <tbb/global_control.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_options.hpp"
#include "lab/bench_runner.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/cpu_matchers.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/gpu_matchers.hpp"
#else
#include "lab/matchers/packed/word_compare.hpp"
#endif

namespace trawl::lab {

namespace {

// All of them, also those that this build cannot run, sorted by code.
std::vector<Algorithm> exact_algorithms() {
  std::vector<Algorithm> all;
  add_algorithms(all, matchers::cpu_matchers(), &Algorithm::on_cpu);
#ifdef TRAWL_WITH_CUDA
  add_algorithms(all, gpu::gpu_matchers(), &Algorithm::on_cuda);
#else
  all.push_back({&matchers::WordCompare::kFacts});
#endif
  std::erase_if(all, [](const Algorithm& algorithm) { return algorithm.facts->code[0] == '\0'; });
  std::sort(all.begin(), all.end(), [](const Algorithm& a, const Algorithm& b) { return a.code() < b.code(); });
  return all;
}

// What differs between rows with the same algorithm and the same patterns.
struct ExactSetting {
  unsigned threads = 1;  // on the CPU; not 0
  std::string memory = "auto";
  unsigned streams = 1;
  std::string output = "list";

  matchers::Output form() const {
    using enum matchers::Output;
    return output == "bytes" ? bytes : output == "bits" ? bits : output == "count" ? count : list;
  }
};

std::vector<ExactSetting> exact_settings(const Options& o, bool on_device) {
  std::vector<ExactSetting> settings;
  for (const std::string& output : o.outputs) {
    for (const unsigned threads : on_device ? std::vector<unsigned>{1} : o.threads) {
      for (const std::string& memory : o.memories) {
        for (const unsigned streams : o.streams.empty() ? std::vector<unsigned>{1} : o.streams) {
          settings.push_back({used_threads(threads), memory, streams, output});
        }
      }
    }
  }
  return settings;
}

// A pattern with its right result.
struct CheckedPattern {
  std::string pattern;
  std::vector<std::uint64_t> ends;
};
using CheckedPatterns = std::vector<CheckedPattern>;

CheckedPatterns checked_patterns(const BenchText& text, const std::vector<std::string>& pieces) {
  CheckedPatterns patterns;
  for (const std::string& piece : pieces) {
    patterns.push_back({piece, expected_ends(text.characters(), piece)});
  }
  return patterns;
}

// An algorithm's times for one pattern, or the means over several.
struct ExactResult {
  Algorithm algorithm;
  double prepare = 0;
  double search = 0;  // the median
  double fastest = 0;
  std::string threads = {};  // on the device: blocks x threads
  std::string memory = "-";
  std::uint64_t matches = 0;  // of all patterns together
};

#ifdef TRAWL_WITH_CUDA
constexpr const char* kTableMemories[] = {"auto", "constant", "shared", "global"};  // in the order of TableMemory

gpu::GpuWork gpu_work(const ExactSetting& setting) {
  const auto memory = std::find(std::begin(kTableMemories), std::end(kTableMemories), setting.memory);
  return {.memory = static_cast<gpu::TableMemory>(memory - std::begin(kTableMemories))};
}
#endif

// Searches one text, checked and timed. The text, and on the device its copy there, is kept from run to run.
class ExactSearch {
 public:
  ExactSearch(const BenchText& text, const Options& options, const Bench& bench)
      : text_(text), options_(options), bench_(bench) {}

  const BenchText& text() const { return text_; }

  // `repeats` timed runs for each of the patterns.
  ExactResult run(const Algorithm& algorithm, const CheckedPatterns& patterns, const ExactSetting& setting,
                  unsigned repeats) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, setting.threads);
    ExactResult result{algorithm};
    const auto count = static_cast<double>(patterns.size());
    for (const CheckedPattern& pattern : patterns) {
      const std::string who = algorithm.code() + ", m = " + std::to_string(pattern.pattern.size()) + ", text " +
                              text_.name() + short_pattern(pattern.pattern);
      const Runs runs = run_one(algorithm, who, pattern, setting, repeats, result);
      result.prepare += median(runs.prepare) / count;
      result.search += (options_.recommend ? median(runs.search) : bench_.median_of(who, runs.search)) / count;
      result.fastest += *std::min_element(runs.search.begin(), runs.search.end()) / count;
      result.matches += pattern.ends.size();
    }
    return result;
  }

 private:
  struct Runs {
    std::vector<double> prepare = {}, search = {};  // seconds
  };

  // Also sets what was chosen in `result`.
  Runs run_one(const Algorithm& algorithm, const std::string& who, const CheckedPattern& pattern,
               const ExactSetting& setting, unsigned repeats, ExactResult& result) {
#ifdef TRAWL_WITH_CUDA
    if (bench_.on_device()) {
      return options_.copies() ? run_with_copies(algorithm, who, pattern, setting, repeats, result)
                               : run_on_device(algorithm, who, pattern, setting, repeats, result);
    }
#endif
    return run_on_cpu(algorithm, who, pattern, setting, repeats, result);
  }

  // ", pattern 'ACGT'", if that can be read.
  static std::string short_pattern(const std::string& pattern) {
    const bool readable = pattern.size() <= 64 &&
                          std::all_of(pattern.begin(), pattern.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return readable ? ", pattern '" + pattern + "'" : "";
  }

  Runs run_on_cpu(const Algorithm& algorithm, const std::string& who, const CheckedPattern& pattern,
                  const ExactSetting& setting, unsigned repeats, ExactResult& result) const {
    const matchers::CpuWork work{.all_threads = setting.threads > 1, .output = setting.form()};
    const auto& matcher = *std::find_if(matchers::cpu_matchers().begin(), matchers::cpu_matchers().end(),
                                        [&](const auto& one) { return algorithm.is(one.facts->name); });
    Runs runs;
    for (unsigned r = 0; r <= repeats; ++r) {
      const auto found = matcher.run(text_.characters(), {.pattern = pattern.pattern}, work);
      if (r == 0) {  // not timed: it finds the caches cold
        check_found(who, found_ends(work.output, text_.size(), found.count, found.ends, found.bits, found.list),
                    work.output, pattern.ends);
        continue;
      }
      runs.prepare.push_back(found.prepare_seconds);
      runs.search.push_back(found.search_seconds);
    }
    result.threads = std::to_string(setting.threads);
    return runs;
  }

#ifdef TRAWL_WITH_CUDA
  static void take(ExactResult& result, const gpu::GpuWork& chosen) {
    result.threads = std::to_string(chosen.blocks) + "x" + std::to_string(chosen.threads);
    result.memory = kTableMemories[static_cast<unsigned>(chosen.memory)];
  }

  Runs run_on_device(const Algorithm& algorithm, const std::string& who, const CheckedPattern& pattern,
                     const ExactSetting& setting, unsigned repeats, ExactResult& result) {
    const std::uint64_t size = text_.size();
    if (!device_text_) {
      const std::uint64_t needed = size + (setting.form() == matchers::Output::bytes ? size : size / 8);
      if (const std::uint64_t free = gpu::usable_memory({}); needed > free) {
        throw Error("the text and the result need " + std::to_string(needed) + " bytes, and the GPU has " +
                    std::to_string(free) + " free; with --streams 2 the text goes through in pieces");
      }
      device_text_.emplace(text_.characters());
    }
    gpu::DeviceEnds ends(size, setting.form(), pattern.ends.size());
    const gpu::GpuRun run = gpu::run_matcher(algorithm.facts->name, *device_text_, {.pattern = pattern.pattern}, ends,
                                             repeats, gpu_work(setting));
    check_found(who, {ends.count(), {}}, matchers::Output::count, pattern.ends);
    gpu::EndsDigest right{pattern.ends.size(), 0};  // as DeviceEnds::digest() says
    for (const std::uint64_t j : pattern.ends) {
      right.hash += mixed(j);
    }
    if (setting.form() != matchers::Output::count && ends.digest() != right) {
      throw Error(who + ": the positions differ from a hash table's; please report this");
    }
    take(result, run.chosen);
    return {{run.prepare_seconds}, run.seconds};
  }

  Runs run_with_copies(const Algorithm& algorithm, const std::string& who, const CheckedPattern& pattern,
                       const ExactSetting& setting, unsigned repeats, ExactResult& result) {
    if (!host_text_) {
      host_text_.emplace(text_.characters(), options_.pinned);
    }
    const gpu::HostTextWork work{.streams = setting.streams, .output = setting.form(), .search = gpu_work(setting)};
    Runs runs;
    for (unsigned r = 0; r <= repeats; ++r) {
      const gpu::HostTextRun found =
          gpu::run_matcher_from_host(algorithm.facts->name, *host_text_, {.pattern = pattern.pattern}, work);
      if (r == 0) {
        check_found(who, found_ends(work.output, text_.size(), found.count, found.bytes, found.bits, found.list),
                    work.output, pattern.ends);
        continue;
      }
      runs.prepare.push_back(found.prepare_seconds);
      runs.search.push_back(found.seconds);
      take(result, found.chosen);
    }
    return runs;
  }

  std::optional<gpu::DeviceText> device_text_;
  std::optional<gpu::HostCharacters> host_text_;
#endif
  const BenchText& text_;
  const Options& options_;
  const Bench& bench_;
};

// The fastest by their fastest runs, at most `shown`, the fastest first.
std::vector<ExactResult> fastest_of(std::vector<ExactResult> results, std::size_t shown) {
  std::stable_sort(results.begin(), results.end(),
                   [](const ExactResult& a, const ExactResult& b) { return a.fastest < b.fastest; });
  results.resize(std::min(results.size(), shown));
  return results;
}

class ExactExperiment {
 public:
  explicit ExactExperiment(const Options& o)
      : options_(o),
        bench_(o),
        algorithms_(bench_.chosen(exact_algorithms())),
        settings_(exact_settings(o, bench_.on_device())) {}

  void run(const BenchText& text) {
    // First all patterns are cut, so that a length that is not possible is reported before a row.
    std::vector<std::vector<std::string>> pieces;
    if (!options_.pattern.empty()) {
      if (options_.pattern.size() > text.size()) {
        throw UsageError("-p: the pattern of " + std::to_string(options_.pattern.size()) +
                         " characters is longer than the text, " + text.name() + " of " + std::to_string(text.size()));
      }
      pieces = {{options_.pattern}};
    } else {
      for (const LengthRange& m : options_.pattern_lengths) {
        for (const unsigned count : options_.patterns) {
          pieces.push_back(cut_pieces(text, m, count, false, options_.seed));
        }
      }
    }
    ExactSearch search(text, options_, bench_);
    for (const auto& of_one_length : pieces) {
      const CheckedPatterns patterns = checked_patterns(text, of_one_length);
      for (const ExactSetting& setting : settings_) {
        if (!options_.recommend) {
          for (const Algorithm& algorithm : algorithms_) {
            for (const ExactResult& result : results(search, {algorithm}, patterns, setting, options_.repeats)) {
              add_row(text, patterns, setting, result);
            }
          }
          continue;
        }
        for (const ExactResult& result : recommended(search, patterns, setting)) {
          add_row(text, patterns, setting, result);
        }
      }
    }
  }

  void finish() const { bench_.finish(); }

 private:
  // Those of the algorithms that can search for all of the patterns: a table, for example, may not fit into the memory
  // of the device that is asked for.
  std::vector<ExactResult> results(ExactSearch& search, const std::vector<Algorithm>& algorithms,
                                   const CheckedPatterns& patterns, const ExactSetting& setting, unsigned repeats) {
    std::vector<ExactResult> results;
    for (const Algorithm& algorithm : algorithms) {
      try {
        results.push_back(search.run(algorithm, patterns, setting, repeats));
      } catch (const UsageError& error) {
        bench_.leave_out(algorithm, error.what());
      }
    }
    return results;
  }

  // All are tried on a sample of the text, its middle, and those that were fastest there on the whole of it.
  std::vector<ExactResult> recommended(ExactSearch& search, const CheckedPatterns& patterns,
                                       const ExactSetting& setting) {
    // Large enough that the time for a sample is the time of the search: 0.4 ms at 10 GB/s on a CPU; a GPU needs more
    // text to be busy.
    const std::uint64_t sample_size = std::uint64_t{1} << (bench_.on_device() ? 26 : 22);
    constexpr std::size_t kTriedOnAll = 8, kShown = 5;
    const BenchText& text = search.text();
    std::vector<Algorithm> algorithms = algorithms_;
    if (text.size() > sample_size && algorithms.size() > kTriedOnAll) {
      const BenchText sample(text.name(), text.characters().substr((text.size() - sample_size) / 2, sample_size));
      std::vector<std::string> pieces;
      for (const CheckedPattern& pattern : patterns) {
        pieces.push_back(pattern.pattern);
      }
      ExactSearch in_sample(sample, options_, bench_);
      const auto tried = results(in_sample, algorithms, checked_patterns(sample, pieces), setting, 3);
      algorithms.clear();
      for (const ExactResult& one : fastest_of(tried, kTriedOnAll)) {
        algorithms.push_back(one.algorithm);
      }
    }
    return fastest_of(results(search, algorithms, patterns, setting, options_.repeats), kShown);
  }

  void add_row(const BenchText& text, const CheckedPatterns& patterns, const ExactSetting& setting,
               const ExactResult& result) {
    const bool copies = bench_.on_device() && options_.copies();
    Bench::Row row = {{"algorithm", result.algorithm.code()},
                      {"m", std::to_string(patterns.front().pattern.size())},
                      {"engine", bench_.engine()},
                      {"threads", result.threads},
                      {"matches", std::to_string(result.matches)},
                      {"prepare_ms", number(result.prepare * 1e3)},
                      {"search_ms", number(result.search * 1e3)},
                      {"min_ms", number(result.fastest * 1e3)},
                      {"GB/s", number(static_cast<double>(text.size()) / result.search / 1e9)},
                      {"memory", result.memory},
                      {"streams", copies ? std::to_string(setting.streams) : "-"},
                      {"pinned", copies ? (options_.pinned ? "yes" : "no") : "-"},
                      {"patterns", std::to_string(patterns.size())},
                      {"output", setting.output}};
    const Bench::Row of_text = text_columns(text);
    row.insert(row.end(), of_text.begin(), of_text.end());
    bench_.add(row);
  }

  const Options& options_;
  Bench bench_;
  std::vector<Algorithm> algorithms_;
  std::vector<ExactSetting> settings_;
};

void run_exact(const Options& o, ranks::Cluster&) {
  if (o.list) {
    return print_list(exact_algorithms());
  }
  ExactExperiment experiment(o);
  for_each_text(o, true, [&](const BenchText& text) { experiment.run(text); });
  experiment.finish();
}

}  // namespace

bool is_exact_matcher(const std::string& word) {
  const auto all = exact_algorithms();
  return std::any_of(all.begin(), all.end(), [&](const Algorithm& algorithm) { return algorithm.is(word); });
}

Experiment exact_experiment() {
  return {
      .name = "exact",
      .description = "Exact matchers beside each other: all of CUSMART (Ozsoy et al. 2024) and faster ones",
      .options = "--list --recommend --algorithm --pattern --patterns --threads --memory --streams --pinned ",
      .outputs = {"list", "count", "bytes", "bits"},
      .defaults = {.pattern_lengths = {{8, 8}, {64, 64}}},
      .footer =
          "Each row of the table is one algorithm with patterns of one length. Several values, separated by commas,\n"
          "give one row for each combination. The table is TSV. Its columns:\n"
          "  algorithm, m          the code (--list), and the length of the pattern\n"
          "  engine, threads       cpu and its threads, or cuda and its blocks x threads of a block\n"
          "  matches               positions where a match ends; with --patterns: of all patterns together\n"
          "  prepare_ms            for the algorithm's tables\n"
          "  search_ms, GB/s       the median of --repeats runs, and 10^9 bytes of text in a second;\n"
          "                        with --patterns: the mean over the patterns\n"
          "  text, text_bytes      what was searched; letters: how many different characters it has\n"
          "  memory                where the table lies on the GPU\n"
          "  streams, pinned       with --streams or --pinned: the time has the copies from and to the GPU\n"
          "  output, patterns      as given\n"
          "  min_ms                the fastest of the runs. If one took half as long again as another, a line\n"
          "                        on standard error says 'disturbed'\n"
          "Before an algorithm is timed, all of its positions are compared with those that a hash table finds.\n"
          "A wrong result is an error.\n"
          "\n"
          "--list prints a line for each algorithm, with tabs between code, name, year, limits (what it does with\n"
          "patterns that its authors exclude) and title. Not of the 64 of CUSMART are epsm, memmem (the C library's),\n"
          "qgram, rare (CPU) and words (GPU; only in builds with CUDA).\n"
          "--recommend gives the rows of the five fastest, the one with the least min_ms first.\n"
          "\n"
          "Examples:\n"
          "  trawl-bench exact --recommend --text book.txt -m 8,32\n"
          "      The fastest algorithms here for patterns of 8 and of 32 characters of this text.\n"
          "  trawl-bench exact -a bm,hor,kmp,epsm --made english -n 100000000 -m 3,10,50,200\n"
          "      Four algorithms on 100 MB of made English, four lengths each.\n"
          "  trawl-bench exact -a all --fasta genome.fa -m 20 --patterns 10 --threads 1,0\n"
          "      All algorithms, the mean over 10 patterns, on one thread and on all.\n"
          "  trawl-bench exact -a kmp --engine cuda -n 1000000000 -m 16 --memory constant,global\n"
          "      The table in constant and in global memory of the GPU.\n"
          "  trawl-bench exact -a all --engine cuda --made protein -m 10 --streams 1,4 --pinned\n"
          "      With the text copied to the GPU in pieces, on one stream and on four.\n",
      .run = run_exact};
}

}  // namespace trawl::lab
