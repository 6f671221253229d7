// multi: checks and times matchers of sets beside each other; under mpirun also with the text dealt out to ranks.
#include <tbb/global_control.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_experiments.hpp"
#include "lab/bench_ranks.hpp"
#include "lab/bench_runner.hpp"
#include "lab/bench_text.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#endif

namespace trawl::lab {

namespace {

using matchers::SetOutput;

constexpr std::uint64_t kCheckedStretch = 4096;

SetOutput set_output(const std::string& word) {
  using enum SetOutput;
  return word == "stretches" ? stretches : word == "patterns" ? patterns : word == "positions" ? positions : count;
}

// A set to search for, and what is right.
struct CheckedSet {
  const BenchText& text;
  std::vector<std::string> patterns;
  std::string lengths;
  double sort_seconds = 0;
  std::optional<matchers::PatternSet> set = {};
  ExpectedSet expected = {};

  CheckedSet(const BenchText& searched, std::vector<std::string> given, std::string their_lengths)
      : text(searched), patterns(std::move(given)), lengths(std::move(their_lengths)) {
    sort_seconds = seconds_of([&] { set.emplace(patterns); });
    if (lengths.empty()) {
      lengths = LengthRange{static_cast<unsigned>(set->shortest()), static_cast<unsigned>(set->longest())}.name();
    }
    expected = expected_set(text.characters(), *set, kCheckedStretch);
  }
  std::string name(const matchers::SetFacts& facts) const {
    return std::string(facts.name) + ", " + std::to_string(set->size()) + " patterns, m = " + lengths + ", text " +
           text.name();
  }
};

// What an algorithm took for a set.
struct SetTimes {
  std::string stage = "-";
  std::string threads;
  std::string stretch = "-";
  double prepare_seconds = 0;
  double search_seconds = 0;
  std::uint64_t table_bytes = 0;
};

// The matchers of one engine by the words of --algorithm, each once.
template <class Matcher>
std::vector<const Matcher*> choose_set_matchers(const std::vector<Matcher>& all,
                                                const std::vector<std::string>& words) {
  std::vector<const Matcher*> chosen;
  for (const std::string& word : words) {
    bool known = false;
    for (const Matcher& matcher : all) {
      if (word == "all" || word == matcher.facts->name) {
        known = true;
        if (std::find(chosen.begin(), chosen.end(), &matcher) == chosen.end()) {
          chosen.push_back(&matcher);
        }
      }
    }
    if (!known) {
      throw UsageError("--algorithm: there is no '" + word + "'; --list shows all");
    }
  }
  return chosen;
}

std::vector<std::string> pattern_lines(const std::string& path) {
  const std::string all = file_bytes(path);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    const std::size_t last = end > begin && all[end - 1] == '\r' ? end - 1 : end;
    if (last == begin) {
      throw InputError(path, lines.size() + 1, "the line is empty; each line is a pattern");
    }
    lines.push_back(all.substr(begin, last - begin));
    begin = end + 1;
  }
  return lines;
}

class MultiExperiment {
 public:
  // `search`: under mpirun, on the first rank; otherwise null.
  MultiExperiment(const Options& o, Ranks& ranks, RankSearch* search)
      : options_(o), bench_(o), ranks_(ranks), search_(search) {
#ifdef TRAWL_WITH_CUDA
    if (bench_.on_device()) {
      gpu_matchers_ = choose_set_matchers(gpu::gpu_set_matchers(), o.algorithms);
    }
#endif
    if (!bench_.on_device()) {
      cpu_matchers_ = choose_set_matchers(matchers::cpu_set_matchers(), o.algorithms);
    }
    for (const char* stage : {"u", "tc", "cr", "r16", "cw", "st"}) {
      if (std::count(o.stages.begin(), o.stages.end(), stage) + std::count(o.stages.begin(), o.stages.end(), "all")) {
        stages_.push_back(stage);
      }
    }
    if (!o.pattern_file.empty()) {
      lines_ = pattern_lines(o.pattern_file);
    }
  }

  void run(const BenchText& text) {
#ifdef TRAWL_WITH_CUDA
    if (bench_.on_device() && search_ == nullptr) {
      device_text_.reset();
      device_text_ = std::make_unique<gpu::DeviceText>(text.characters());
    }
#endif
    if (!lines_.empty()) {
      return run_set({text, lines_, ""});
    }
    for (const LengthRange& range : options_.length_ranges) {
      for (const unsigned count : options_.patterns) {
        run_set({text, cut_pieces(text, range, count, !options_.fasta.empty(), options_.seed), range.name()});
      }
    }
  }

  void finish() const { bench_.finish(); }

 private:
  void run_set(const CheckedSet& checked) {
    for (const matchers::CpuSetMatcher* matcher : cpu_matchers_) {
      if (search_ != nullptr) {
        run_on_ranks(checked, *matcher->facts, "");
        continue;
      }
      with_tables(*matcher, checked, [&](const matchers::PreparedSet& prepared, double prepare_seconds) {
        for (const unsigned threads : options_.threads) {
          for (const std::string& output : options_.outputs) {
            run_on_cpu(checked, *matcher->facts, prepared, prepare_seconds, used_threads(threads), output);
          }
        }
      });
    }
#ifdef TRAWL_WITH_CUDA
    for (const gpu::GpuSetMatcher* matcher : gpu_matchers_) {
      if (search_ != nullptr) {
        for (const std::string& stage : stages_) {
          run_on_ranks(checked, *matcher->facts, stage);
        }
        continue;
      }
      with_tables(*matcher, checked, [&](const gpu::GpuPreparedSet& prepared, double prepare_seconds) {
        for (const std::string& stage : stages_) {
          for (const std::string& output : options_.outputs) {
            run_on_device(checked, *matcher->facts, prepared, prepare_seconds, stage, output);
          }
        }
      });
    }
#endif
  }

  // Makes the tables. An algorithm that cannot take the set is an error only if it was named.
  template <class Matcher, class Run>
  void with_tables(const Matcher& matcher, const CheckedSet& checked, Run&& run) {
    decltype(matcher.prepare(*checked.set)) prepared;
    double prepare_seconds = checked.sort_seconds;
    try {
      prepare_seconds += seconds_of([&] { prepared = matcher.prepare(*checked.set); });
    } catch (const UsageError& error) {
      const std::string name = matcher.facts->name;
      if (std::count(options_.algorithms.begin(), options_.algorithms.end(), name) != 0) {
        throw UsageError("--algorithm " + name + ": " + error.what());
      }
      std::cerr << "trawl-bench multi: no row for " << name << ": " << error.what() << '\n';
      return;
    }
    run(*prepared, prepare_seconds);
  }

  // The columns that all rows begin with.
  Bench::Row begin_row(const CheckedSet& checked, const matchers::SetFacts& facts, const std::string& stage) const {
    return {{"algorithm", facts.name},
            {"patterns", std::to_string(checked.set->given())},
            {"different", std::to_string(checked.set->size())},
            {"m", checked.lengths},
            {"engine", bench_.engine()},
            {"stage", stage}};
  }

  void run_on_ranks(const CheckedSet& checked, const matchers::SetFacts& facts, const std::string& stage) {
    for (const unsigned threads : stage.empty() ? options_.threads : std::vector<unsigned>{1}) {
      for (const std::string& output : options_.outputs) {
        const unsigned used = threads == 0 ? ranks_.cores() : threads;
        double of_one_rank = 0;
        for (const unsigned ranks : options_.ranks.empty() ? std::vector{ranks_.size()} : options_.ranks) {
          const RankRun run = search_->run({facts.name, stage, ranks, used, options_.repeats, output == "patterns"},
                                           checked.text.characters(), checked.patterns);
          matchers::SetFound found;
          found.count = run.count;
          found.patterns = run.patterns;
          check_set(checked.name(facts) + ", " + std::to_string(ranks) + " ranks", found, SetOutput::patterns,
                    checked.expected, kCheckedStretch);
          const double load = median(run.load_seconds), search = median(run.search_seconds),
                       reduce = median(run.reduce_seconds), total = load + search + reduce;
          of_one_rank = ranks == 1 ? total : of_one_rank;
          Bench::Row row = begin_row(checked, facts, stage.empty() ? "-" : stage);
          row.insert(row.end(), {{"ranks", std::to_string(ranks)},
                                 {"threads", std::to_string(used)},
                                 {"matches", std::to_string(checked.expected.count)},
                                 {"prepare_ms", number(run.prepare_seconds * 1e3)},
                                 {"load_ms", number(load * 1e3)},
                                 {"search_ms", number(search * 1e3)},
                                 {"reduce_ms", number(reduce * 1e3)},
                                 {"total_ms", number(total * 1e3)},
                                 {"speedup", of_one_rank > 0 ? number(of_one_rank / total) : "-"},
                                 {"cpu_ms", number(median(run.cpu_seconds) * 1e3)},
                                 {"most_cpu_ms", number(median(run.most_cpu_seconds) * 1e3)},
                                 {"text", checked.text.name()},
                                 {"text_bytes", std::to_string(checked.text.size())},
                                 {"output", output}});
          bench_.add(row);
        }
      }
    }
  }

  void run_on_cpu(const CheckedSet& checked, const matchers::SetFacts& facts, const matchers::PreparedSet& prepared,
                  double prepare_seconds, unsigned threads, const std::string& output) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const std::string& text = checked.text.characters();
    const auto search = [&](SetOutput form, std::uint64_t stretch) {
      return prepared.search(text, {.all_threads = threads > 1, .stretch = stretch, .output = form});
    };
    const auto check = [&](SetOutput form, std::uint64_t stretch) {
      check_set(checked.name(facts), search(form, stretch), form, checked.expected, kCheckedStretch);
    };
    check(SetOutput::patterns, options_.stride);
    check(SetOutput::stretches, kCheckedStretch);
    check(set_output(output), options_.stride);
    std::vector<double> seconds;
    for (unsigned r = 0; r < options_.repeats; ++r) {
      seconds.push_back(search(set_output(output), options_.stride).search_seconds);
    }
    add_row(checked, facts,
            {.threads = std::to_string(threads),
             .stretch = options_.stride == 0 ? "-" : std::to_string(options_.stride),
             .prepare_seconds = prepare_seconds,
             .search_seconds = median(seconds),
             .table_bytes = prepared.table_bytes()},
            output);
  }

#ifdef TRAWL_WITH_CUDA
  void run_on_device(const CheckedSet& checked, const matchers::SetFacts& facts, const gpu::GpuPreparedSet& prepared,
                     double prepare_seconds, const std::string& stage, const std::string& output) {
    const std::string name = checked.name(facts) + ", stage " + stage;
    gpu::GpuSetWork work{.stage = gpu::set_stage(stage),
                         .stretch = static_cast<unsigned>(options_.stride),
                         .room = checked.expected.count,
                         .fetch = false};
    const auto checked_search = [&](SetOutput form, unsigned repeats) {
      work.output = form;
      gpu::GpuSetFound found = prepared.search(*device_text_, work, repeats);
      matchers::SetFound numbers;  // the positions stay on the device
      numbers.count = found.count;
      numbers.patterns = found.patterns;
      check_set(name, numbers, form == SetOutput::patterns ? form : SetOutput::count, checked.expected,
                kCheckedStretch);
      if (form == SetOutput::positions) {
        check_digest(name, found.hash, checked.expected);
      }
      return found;
    };
    (void)checked_search(SetOutput::patterns, 0);
    const gpu::GpuSetFound found = checked_search(set_output(output), options_.repeats);
    add_row(checked, facts,
            {.stage = stage,
             .threads = std::to_string(found.plan.blocks) + "x" + std::to_string(found.plan.threads),
             .stretch = std::to_string(found.plan.stretch),
             .prepare_seconds = prepare_seconds,
             .search_seconds = median(found.seconds),
             .table_bytes = prepared.table_bytes()},
            output);
  }
#endif

  void add_row(const CheckedSet& checked, const matchers::SetFacts& facts, const SetTimes& times,
               const std::string& output) {
    const BenchText& text = checked.text;
    Bench::Row row = begin_row(checked, facts, times.stage);
    row.insert(row.end(), {{"threads", times.threads},
                           {"stretch", times.stretch},
                           {"matches", std::to_string(checked.expected.count)},
                           {"prepare_ms", number(times.prepare_seconds * 1e3)},
                           {"search_ms", number(times.search_seconds * 1e3)},
                           {"Gchar/s", number(static_cast<double>(text.size()) / times.search_seconds / 1e9)},
                           {"table_bytes", std::to_string(times.table_bytes)},
                           {"text", text.name()},
                           {"text_bytes", std::to_string(text.size())},
                           {"letters", std::to_string(text.letters())},
                           {"output", output}});
    bench_.add(row);
  }

  const Options& options_;
  Bench bench_;
  Ranks& ranks_;
  RankSearch* search_;
  std::vector<const matchers::CpuSetMatcher*> cpu_matchers_;
#ifdef TRAWL_WITH_CUDA
  std::vector<const gpu::GpuSetMatcher*> gpu_matchers_;
  std::unique_ptr<gpu::DeviceText> device_text_;
#endif
  std::vector<std::string> stages_;
  std::vector<std::string> lines_;
};

// Every rank finds the same.
void check_ranks(const Options& o, const Ranks& ranks) {
  if (ranks.size() == 1) {
    if (o.is_given("--ranks")) {
      throw UsageError("--ranks is for several ranks; start them with mpirun -n N trawl-bench multi");
    }
    return;
  }
  const bool has_other = std::any_of(o.outputs.begin(), o.outputs.end(),
                                     [](const auto& output) { return output != "count" && output != "patterns"; });
  if (o.stride != 0 || has_other) {
    throw UsageError("under mpirun there is no --stride, and --output is count or patterns");
  }
  for (const unsigned count : o.ranks) {
    if (count > ranks.size()) {
      throw UsageError("--ranks " + std::to_string(count) + ": mpirun has started " + std::to_string(ranks.size()));
    }
  }
}

void run_multi(const Options& given, Ranks& ranks) {
  if (given.list) {
    for (const matchers::CpuSetMatcher& matcher : matchers::cpu_set_matchers()) {
      const matchers::SetFacts& facts = *matcher.facts;
      std::cout << (ranks.is_first()
                        ? std::string(facts.name) + '\t' + std::to_string(facts.year) + '\t' + facts.limits + '\n'
                        : "");
    }
    return;
  }
  check_ranks(given, ranks);
  RankSearch search(ranks);
  if (!ranks.is_first()) {
    return search.serve();
  }
  Options o = given;
  if (ranks.size() > 1 && o.engine == "auto") {
    o.engine = "cpu";  // ranks need not all have a device: it must be asked for
  }
  try {
    MultiExperiment experiment(o, ranks, ranks.size() > 1 ? &search : nullptr);
    for_each_text(o, [&](const BenchText& text) { experiment.run(text); });
    experiment.finish();
  } catch (const UsageError&) {
    search.end();  // the others wait for a job
    throw;
  }
  search.end();
}

}  // namespace

Experiment multi_experiment() {
  return {
      .name = "multi",
      .description = "Sets of many patterns: Aho-Corasick and Wu-Manber (Kouzinopoulos et al. 2015) beside each other",
      .options = "--list --algorithm --patterns --pattern-file --threads --stride --stage --ranks ",
      .outputs = {"count", "stretches", "patterns", "positions"},
      .defaults = {.patterns = {1000}},
      .footer =
          "Each row of the table is one algorithm that searches one set of patterns. Several values, separated by\n"
          "commas, give one row for each combination. The table is TSV. Its columns:\n"
          "  algorithm, engine     the name (--list), and where it runs\n"
          "  patterns, different   patterns of the set, and how many are different; each is searched once\n"
          "  m                     their length, or the shortest and the longest\n"
          "  stage                 on the GPU, as --stage\n"
          "  threads, stretch      threads, and characters that a thread searches at a time (-: all);\n"
          "                        on the GPU blocks x threads\n"
          "  matches               occurrences of the different patterns\n"
          "  prepare_ms            for sorting the patterns and making the algorithm's tables\n"
          "  table_bytes           of these tables\n"
          "  search_ms, Gchar/s    the median of --repeats runs, and 10^9 characters of text in a second\n"
          "  text, text_bytes      what was searched; letters: how many different characters it has\n"
          "  output                the number of occurrences (count), that of each stretch of the text or of each\n"
          "                        pattern, or each occurrence (positions)\n"
          "The stages of the paper on the GPU (--stage), of which each has all that those before it have:\n"
          "  u    unoptimised: each thread reads its part of the text, and the tables, from global memory\n"
          "  tc   tables through the read-only (texture) path\n"
          "  cr   the threads of a block copy its part of the text to shared memory together\n"
          "  r16  they read 16 characters at a time\n"
          "  cw   results are collected on the chip, and written side by side\n"
          "  st   not in the paper: tables in shared memory, as far as they fit\n"
          "Before an algorithm is timed, its result is compared with that of a hash table of all patterns: the number\n"
          "of occurrences of each pattern, and on the CPU of each 4,096 characters of the text.\n"
          "Under mpirun the text is dealt out to the ranks, each searches its piece, and the counts are added up: on\n"
          "CPUs, or with --engine cuda on one device for each rank. The columns:\n"
          "  ranks                 how many work (--ranks), each with so many threads\n"
          "  load_ms               until the last rank has its piece of the text, which the first one\n"
          "                        sends, on its device if it has one\n"
          "  search_ms, reduce_ms  of the slowest rank; until the first rank has the sum\n"
          "  total_ms, speedup     these three; that of 1 rank over it, if --ranks has 1 before\n"
          "  cpu_ms, most_cpu_ms   what cores worked for the search: for all ranks, and for the one that needed most.\n"
          "                        If there are fewer cores than ranks, these say what the ranks would need on cores\n"
          "                        of their own\n"
          "\n"
          "Examples:\n"
          "  trawl-bench multi -n 100000000 --patterns 1000,8000,16000 -m 8\n"
          "      The sets of Kouzinopoulos et al. on 100 MB of made DNA.\n"
          "  trawl-bench multi -a aho-corasick-full --made protein --patterns 10000 -m 8-20 --threads 1,0\n"
          "      Patterns of mixed lengths, on one thread and on all.\n"
          "  trawl-bench multi --fasta genome.fa --pattern-file probes.txt --output patterns\n"
          "      How often each line of a file occurs.\n"
          "  mpirun -n 4 trawl-bench multi -a wu-manber -n 100000000 --ranks 1,2,4\n"
          "      The text dealt out to 1, 2 and 4 ranks.\n",
      .run = run_multi};
}

}  // namespace trawl::lab
