// exact: checks and times exact matchers beside each other.
#include <tbb/global_control.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>

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

#ifdef TRAWL_WITH_CUDA
constexpr bool kHasCuda = true;
#else
constexpr bool kHasCuda = false;
#endif

// A matcher of the list that has a code.
struct ExactAlgorithm {
  const matchers::MatcherFacts* facts;
  const matchers::CpuMatcher* on_cpu;  // nullptr: on the GPU only
  bool on_cuda;                        // in a build with CUDA

  bool is(const std::string& word) const { return word == facts->code || word == facts->name; }
};

// All of them, also those that this build cannot run, sorted by code.
const std::vector<ExactAlgorithm>& exact_algorithms() {
  static const std::vector<ExactAlgorithm> all = [] {
    std::map<std::string, ExactAlgorithm> by_code;
    for (const matchers::CpuMatcher& matcher : matchers::cpu_matchers()) {
      if (matcher.facts->code[0] != '\0') {
        by_code[matcher.facts->code] = {matcher.facts, &matcher, false};
      }
    }
#ifdef TRAWL_WITH_CUDA
    for (const gpu::GpuMatcher& matcher : gpu::gpu_matchers()) {
      if (matcher.facts->code[0] != '\0') {
        const auto added = by_code.try_emplace(matcher.facts->code, ExactAlgorithm{matcher.facts, nullptr, true});
        if (std::string(added.first->second.facts->name) != matcher.facts->name) {
          matchers::check_unique({added.first->second.facts, matcher.facts});
        }
        added.first->second.on_cuda = true;
      }
    }
#else
    by_code[matchers::WordCompare::kFacts.code] = {&matchers::WordCompare::kFacts, nullptr, true};
#endif
    std::vector<ExactAlgorithm> sorted;
    for (const auto& entry : by_code) {
      sorted.push_back(entry.second);
    }
    return sorted;
  }();
  return all;
}

void list_exact() {
  for (const ExactAlgorithm& algorithm : exact_algorithms()) {
    const matchers::MatcherFacts& facts = *algorithm.facts;
    const bool gpu_only = algorithm.on_cpu == nullptr;
    std::cout << facts.code << '\t' << facts.name << '\t' << (facts.year == 0 ? "-" : std::to_string(facts.year))
              << '\t' << facts.limits << '\t' << facts.title
              << (!gpu_only  ? ""
                  : kHasCuda ? " (GPU only)"
                             : " (GPU only; needs a build with CUDA)")
              << '\n';
  }
}

// Those with these codes or names, in this order; "all": all that the engine has.
std::vector<ExactAlgorithm> choose_exact(const std::vector<std::string>& words, bool on_device) {
  std::vector<ExactAlgorithm> chosen;
  for (const std::string& word : words) {
    bool known = word == "all";
    for (const ExactAlgorithm& algorithm : exact_algorithms()) {
      const bool runs = on_device ? algorithm.on_cuda : algorithm.on_cpu != nullptr;
      if (algorithm.is(word) && !runs) {
        throw UsageError("--algorithm " + word + ": it runs on the " +
                         (on_device  ? "CPU only; use --engine cpu"
                          : kHasCuda ? "GPU only; use --engine cuda"
                                     : "GPU only, and this build has no CUDA code"));
      }
      known = known || algorithm.is(word);
      if (runs && (word == "all" || algorithm.is(word)) &&
          std::none_of(chosen.begin(), chosen.end(), [&](const auto& one) { return one.facts == algorithm.facts; })) {
        chosen.push_back(algorithm);
      }
    }
    if (!known) {
      throw UsageError("--algorithm: there is no '" + word + "'; --list shows all");
    }
  }
  return chosen;
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

// Of one pattern, or the mean over several.
struct ExactTimes {
  double prepare = 0;
  double search = 0;  // the median
  double fastest = 0;
  double slowest = 0;
  std::string threads = {};  // on the device: blocks x threads
  std::string memory = "-";
  std::string stretch = "-";

  void set(const std::vector<double>& runs) {
    search = median(runs);
    fastest = *std::min_element(runs.begin(), runs.end());
    slowest = *std::max_element(runs.begin(), runs.end());
  }
  // Whether the runs differ by more than half. Those of very short runs always do.
  bool is_disturbed() const { return slowest > 1.5 * fastest + 50e-6; }
};

// ", pattern 'ACGT'", if that can be read.
std::string short_pattern(const std::string& pattern) {
  const bool readable =
      pattern.size() <= 64 && std::all_of(pattern.begin(), pattern.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return readable ? ", pattern '" + pattern + "'" : "";
}

#ifdef TRAWL_WITH_CUDA
const std::pair<gpu::TableMemory, const char*> kTableMemories[] = {{gpu::TableMemory::automatic, "auto"},
                                                                   {gpu::TableMemory::constant, "constant"},
                                                                   {gpu::TableMemory::shared, "shared"},
                                                                   {gpu::TableMemory::global, "global"}};

gpu::TableMemory table_memory(const std::string& word) {
  return std::find_if(std::begin(kTableMemories), std::end(kTableMemories),
                      [&](const auto& one) { return one.second == word; })
      ->first;
}

ExactTimes times_on_device(double prepare, const std::vector<double>& runs, const gpu::GpuWork& chosen) {
  ExactTimes result{.prepare = prepare,
                    .threads = std::to_string(chosen.blocks) + "x" + std::to_string(chosen.threads),
                    .memory = std::find_if(std::begin(kTableMemories), std::end(kTableMemories),
                                           [&](const auto& one) { return one.first == chosen.memory; })
                                  ->second,
                    .stretch = std::to_string(chosen.stretch)};
  result.set(runs);
  return result;
}

// Bits in words of 64.
std::vector<std::uint64_t> words_of(const std::vector<std::uint32_t>& halves) {
  std::vector<std::uint64_t> words((halves.size() + 1) / 2);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    words[i / 2] |= std::uint64_t{halves[i]} << (i % 2 * 32);
  }
  return words;
}
#endif

// Searches one text, checked and timed. The text, and on the device its copy there, is kept from run to run.
class ExactSearch {
 public:
  ExactSearch(const BenchText& text, const Options& options, bool on_device)
      : text_(text), options_(options), on_device_(on_device) {}

  const BenchText& text() const { return text_; }

  // `repeats` timed runs, and a check of the result.
  ExactTimes run(const ExactAlgorithm& algorithm, const CheckedPattern& pattern, const ExactSetting& setting,
                 unsigned repeats) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, setting.threads);
#ifdef TRAWL_WITH_CUDA
    if (on_device_) {
      return options_.copies() ? run_with_copies(algorithm, pattern, setting, repeats)
                               : run_on_device(algorithm, pattern, setting, repeats);
    }
#endif
    const matchers::CpuWork work{
        .all_threads = setting.threads > 1, .stretch = options_.stride, .output = setting.form()};
    std::vector<double> prepare, search;
    for (unsigned r = 0; r <= repeats; ++r) {
      const auto found = algorithm.on_cpu->run(text_.characters(), {.pattern = pattern.pattern}, work);
      if (r == 0) {  // not timed: it finds the caches cold
        check(algorithm, pattern, work.output, {found.count, found.ends, found.bits, found.list});
        continue;
      }
      prepare.push_back(found.prepare_seconds);
      search.push_back(found.search_seconds);
    }
    ExactTimes result{.prepare = median(prepare),
                      .threads = std::to_string(setting.threads),
                      .stretch = options_.stride == 0 ? "-" : std::to_string(options_.stride)};
    result.set(search);
    return result;
  }

 private:
  std::string who(const ExactAlgorithm& algorithm, const CheckedPattern& pattern) const {
    return std::string(algorithm.facts->code) + ", m = " + std::to_string(pattern.pattern.size()) + ", text " +
           text_.name() + short_pattern(pattern.pattern);
  }
  void check(const ExactAlgorithm& algorithm, const CheckedPattern& pattern, matchers::Output output,
             const FoundEnds& found) const {
    check_found(who(algorithm, pattern), output, found, text_.size(), pattern.ends);
  }

#ifdef TRAWL_WITH_CUDA
  ExactTimes run_on_device(const ExactAlgorithm& algorithm, const CheckedPattern& pattern, const ExactSetting& setting,
                           unsigned repeats) {
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
    const gpu::GpuRun run =
        gpu::run_matcher(algorithm.facts->name, *device_text_, {.pattern = pattern.pattern}, ends, repeats,
                         {.memory = table_memory(setting.memory), .stretch = static_cast<unsigned>(options_.stride)});
    if (setting.form() == matchers::Output::list && ends.count() == pattern.ends.size()) {
      const auto list = ends.list();
      check(algorithm, pattern, matchers::Output::list, {list.size(), {}, {}, list});
    } else {
      check(algorithm, pattern, matchers::Output::count, {ends.count(), {}, {}, {}});
      gpu::EndsDigest right{pattern.ends.size(), 0};  // as DeviceEnds::digest() says
      for (const std::uint64_t j : pattern.ends) {
        right.hash += mixed(j);
      }
      if (setting.form() != matchers::Output::count && ends.digest() != right) {
        throw Error(who(algorithm, pattern) + ": the positions differ from a hash table's; please report this");
      }
    }
    return times_on_device(run.prepare_seconds, run.seconds, run.chosen);
  }

  ExactTimes run_with_copies(const ExactAlgorithm& algorithm, const CheckedPattern& pattern,
                             const ExactSetting& setting, unsigned repeats) {
    if (!host_text_) {
      host_text_.emplace(text_.characters(), options_.pinned);
    }
    const gpu::HostTextWork work{
        .streams = setting.streams,
        .output = setting.form(),
        .search = {.memory = table_memory(setting.memory), .stretch = static_cast<unsigned>(options_.stride)}};
    std::vector<double> prepare, search;
    gpu::GpuWork chosen;
    for (unsigned r = 0; r <= repeats; ++r) {
      const gpu::HostTextRun found =
          gpu::run_matcher_from_host(algorithm.facts->name, *host_text_, {.pattern = pattern.pattern}, work);
      if (r == 0) {
        check(algorithm, pattern, work.output, {found.count, found.bytes, words_of(found.bits), found.list});
        continue;
      }
      prepare.push_back(found.prepare_seconds);
      search.push_back(found.seconds);
      chosen = found.chosen;
    }
    return times_on_device(median(prepare), search, chosen);
  }

  std::optional<gpu::DeviceText> device_text_;
  std::optional<gpu::HostCharacters> host_text_;
#endif
  const BenchText& text_;
  const Options& options_;
  [[maybe_unused]] bool on_device_;
};

// The result of an algorithm for all of the patterns.
struct ExactResult {
  ExactAlgorithm algorithm;
  ExactTimes mean;            // its threads, memory and stretch are those of the last pattern
  ExactTimes disturbed;       // of the pattern whose runs differ most, if they differ by more than half; else all 0
  std::uint64_t matches = 0;  // of all patterns together
};

ExactResult run_mean(ExactSearch& search, const ExactAlgorithm& algorithm, const CheckedPatterns& patterns,
                     const ExactSetting& setting, unsigned repeats) {
  ExactResult result{algorithm, {}, {}, 0};
  double prepare = 0, median_time = 0, fastest = 0;
  for (const CheckedPattern& pattern : patterns) {
    result.mean = search.run(algorithm, pattern, setting, repeats);
    prepare += result.mean.prepare / static_cast<double>(patterns.size());
    median_time += result.mean.search / static_cast<double>(patterns.size());
    fastest += result.mean.fastest / static_cast<double>(patterns.size());
    result.matches += pattern.ends.size();
    if (result.mean.is_disturbed() &&
        result.mean.slowest * result.disturbed.fastest >= result.disturbed.slowest * result.mean.fastest) {
      result.disturbed = result.mean;
    }
  }
  result.mean.prepare = prepare;
  result.mean.search = median_time;
  result.mean.fastest = fastest;
  return result;
}

// The fastest of the algorithms by their fastest runs, at most `shown`, the fastest first.
std::vector<ExactResult> rank_exact(ExactSearch& search, const std::vector<ExactAlgorithm>& algorithms,
                                    const CheckedPatterns& patterns, const ExactSetting& setting, unsigned repeats,
                                    std::size_t shown) {
  std::vector<ExactResult> ranked;
  for (const ExactAlgorithm& algorithm : algorithms) {
    try {
      ranked.push_back(run_mean(search, algorithm, patterns, setting, repeats));
    } catch (const UsageError&) {
      // Its table does not fit where --memory wants it.
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const ExactResult& a, const ExactResult& b) { return a.mean.fastest < b.mean.fastest; });
  if (ranked.size() > shown) {
    ranked.erase(ranked.begin() + static_cast<std::ptrdiff_t>(shown), ranked.end());
  }
  return ranked;
}

class ExactExperiment {
 public:
  explicit ExactExperiment(const Options& o)
      : options_(o),
        bench_(o),
        algorithms_(choose_exact(o.algorithms, bench_.on_device())),
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
      for (const unsigned m : options_.pattern_lengths) {
        for (const unsigned count : options_.patterns) {
          pieces.push_back(cut_pieces(text, {m, m}, count, false, options_.seed));
        }
      }
    }
    ExactSearch search(text, options_, bench_.on_device());
    for (const auto& of_one_length : pieces) {
      const CheckedPatterns patterns = checked_patterns(text, of_one_length);
      const auto algorithms = those_for(patterns);
      for (const ExactSetting& setting : settings_) {
        options_.recommend ? recommend(search, algorithms, patterns, setting)
                           : run_all(search, algorithms, patterns, setting);
      }
    }
  }

  void finish() const { bench_.finish(); }

 private:
  // The algorithms that can search for all of the patterns.
  std::vector<ExactAlgorithm> those_for(const CheckedPatterns& patterns) {
    std::vector<ExactAlgorithm> able;
    for (const ExactAlgorithm& algorithm : algorithms_) {
      try {
        for (const CheckedPattern& pattern : patterns) {
          (void)matchers::resolve(*algorithm.facts, {.pattern = pattern.pattern});
        }
        able.push_back(algorithm);
      } catch (const UsageError& error) {
        leave_out(algorithm, error.what());
      }
    }
    return able;
  }

  // An algorithm that cannot search. Throws UsageError if the user named it.
  void leave_out(const ExactAlgorithm& algorithm, const std::string& why) {
    const std::string code = algorithm.facts->code;
    const auto& words = options_.algorithms;
    if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return algorithm.is(word); })) {
      throw UsageError("--algorithm " + code + ": " + why);
    }
    if (notes_.insert(code + why).second) {
      std::cerr << "trawl-bench exact: no row for " << code << ": " << why << '\n';
    }
  }

  void run_all(ExactSearch& search, const std::vector<ExactAlgorithm>& algorithms, const CheckedPatterns& patterns,
               const ExactSetting& setting) {
    for (const ExactAlgorithm& algorithm : algorithms) {
      try {
        add_row(search.text(), patterns, setting, run_mean(search, algorithm, patterns, setting, options_.repeats));
      } catch (const UsageError& error) {  // for example, the table does not fit into this memory of the device
        leave_out(algorithm, error.what());
      }
    }
  }

  // All are tried on a sample of the text, its middle, and those that were fastest there on the whole of it.
  void recommend(ExactSearch& search, std::vector<ExactAlgorithm> algorithms, const CheckedPatterns& patterns,
                 const ExactSetting& setting) {
    // Large enough that the time for a sample is the time of the search: 0.4 ms at 10 GB/s on a CPU; a GPU needs more
    // text to be busy.
    const std::uint64_t sample_size = std::uint64_t{1} << (bench_.on_device() ? 26 : 22);
    constexpr std::size_t kTriedOnAll = 8, kShown = 5;
    constexpr double kTie = 1.05;  // algorithms whose fastest runs differ by no more than this are equally good
    const BenchText& text = search.text();
    if (text.size() > sample_size && algorithms.size() > kTriedOnAll) {
      const BenchText sample(text.name(), text.read((text.size() - sample_size) / 2, sample_size));
      std::vector<std::string> pieces;
      for (const CheckedPattern& pattern : patterns) {
        pieces.push_back(pattern.pattern);
      }
      ExactSearch sample_search(sample, options_, bench_.on_device());
      const auto best =
          rank_exact(sample_search, algorithms, checked_patterns(sample, pieces), setting, 3, kTriedOnAll);
      algorithms.clear();
      for (const ExactResult& one : best) {
        algorithms.push_back(one.algorithm);
      }
    }
    const auto ranked = rank_exact(search, algorithms, patterns, setting, options_.repeats, kShown);
    if (ranked.empty()) {
      throw UsageError("--recommend: no algorithm can search for these patterns with this --memory and --stride");
    }
    std::cout << "m = " << patterns.front().pattern.size() << ", " << text.name() << " (" << text.size() << " bytes), "
              << described(setting) << ":\n";
    for (const ExactResult& one : ranked) {
      const matchers::MatcherFacts& facts = *one.algorithm.facts;
      const bool is_tie = one.mean.fastest <= kTie * ranked.front().mean.fastest;
      std::cout << (&one == &ranked.front() ? "  fastest  "
                    : is_tie                ? "  tie      "
                                            : "           ")
                << facts.code << "  " << speed(text, one.mean.fastest) << " GB/s  " << facts.name << " ("
                << facts.paper() << ")\n";
      add_row(text, patterns, setting, one);
    }
    std::cout << std::flush;
  }

  std::string described(const ExactSetting& setting) const {
    const auto counted = [](unsigned n, const std::string& what) {
      return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    if (!bench_.on_device()) {
      return counted(setting.threads, "thread");
    }
    return "cuda" + (setting.memory == "auto" ? "" : ", table in " + setting.memory + " memory") +
           (options_.copies() ? ", copies on " + counted(setting.streams, "stream") + " from " +
                                    (options_.pinned ? "pinned" : "pageable") + " memory"
                              : "");
  }

  static std::string speed(const BenchText& text, double seconds) {
    return number(static_cast<double>(text.size()) / seconds / 1e9);
  }

  void add_row(const BenchText& text, const CheckedPatterns& patterns, const ExactSetting& setting,
               const ExactResult& result) {
    const bool copies = bench_.on_device() && options_.copies();
    const std::string m = std::to_string(patterns.front().pattern.size());
    const Bench::Row row = {{"algorithm", result.algorithm.facts->code},
                            {"m", m},
                            {"engine", bench_.engine()},
                            {"threads", result.mean.threads},
                            {"matches", std::to_string(result.matches)},
                            {"prepare_ms", number(result.mean.prepare * 1e3)},
                            {"search_ms", number(result.mean.search * 1e3)},
                            {"GB/s", speed(text, result.mean.search)},
                            {"text", text.name()},
                            {"text_bytes", std::to_string(text.size())},
                            {"letters", std::to_string(text.letters())},
                            {"memory", result.mean.memory},
                            {"stretch", result.mean.stretch},
                            {"streams", copies ? std::to_string(setting.streams) : "-"},
                            {"pinned", copies ? (options_.pinned ? "yes" : "no") : "-"},
                            {"output", setting.output},
                            {"patterns", std::to_string(patterns.size())},
                            {"min_ms", number(result.mean.fastest * 1e3)}};
    options_.recommend ? bench_.keep(row) : bench_.add(row);
    if (result.disturbed.slowest > 0) {
      std::cerr << "trawl-bench exact: disturbed: the runs of " << result.algorithm.facts->code << ", m = " << m
                << " took " << number(result.disturbed.fastest * 1e3) << " to "
                << number(result.disturbed.slowest * 1e3) << " ms; is something else running here?\n";
    }
  }

  const Options& options_;
  Bench bench_;
  std::vector<ExactAlgorithm> algorithms_;
  std::vector<ExactSetting> settings_;
  std::set<std::string> notes_;
};

void run_exact(const Options& o, Ranks&) {
  if (o.list) {
    return list_exact();
  }
  ExactExperiment experiment(o);
  for_each_text(o, [&](const BenchText& text) { experiment.run(text); });
  experiment.finish();
}

}  // namespace

bool is_exact_matcher(const std::string& word) {
  const auto& all = exact_algorithms();
  return std::any_of(all.begin(), all.end(), [&](const ExactAlgorithm& algorithm) { return algorithm.is(word); });
}

Experiment exact_experiment() {
  return {
      .name = "exact",
      .description = "Exact matchers beside each other: all of CUSMART (Ozsoy et al. 2024) and faster ones",
      .options = "--list --recommend --algorithm --pattern --patterns --threads --stride --memory --streams --pinned ",
      .outputs = {"list", "count", "bytes", "bits"},
      .defaults = {.pattern_lengths = {8, 64}},
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
          "  memory, stretch       where the table lies on the GPU, and the characters of a thread at a time\n"
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
          "--recommend ranks by the fastest runs; 'tie': within 5% of the fastest.\n"
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
