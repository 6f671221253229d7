// multi: checks and times matchers of sets beside each other; under mpirun also with the text dealt out to ranks.
#include <tbb/global_control.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_options.hpp"
#include "lab/bench_ranks.hpp"
#include "lab/bench_runner.hpp"
#include "lab/bench_text.hpp"

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

// The matchers of the engine by the words of --algorithm, each once.
std::vector<const matchers::SetFacts*> choose_set_matchers(const std::vector<std::string>& words, bool on_device) {
  std::vector<const matchers::SetFacts*> chosen;
  for (const std::string& word : words) {
    bool known = false;
    for (const matchers::SetFacts* facts : set_matchers(on_device)) {
      if (word == "all" || word == facts->name) {
        known = true;
        if (std::find(chosen.begin(), chosen.end(), facts) == chosen.end()) {
          chosen.push_back(facts);
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
  // `rank_search`: under mpirun, on the first rank; otherwise null.
  MultiExperiment(const Options& o, Ranks& ranks, RankSearch* rank_search)
      : options_(o),
        bench_(o),
        ranks_(ranks),
        rank_search_(rank_search),
        matchers_(choose_set_matchers(o.algorithms, bench_.on_device())) {
    for (const char* stage : {"u", "tc", "cr", "r16", "cw", "st"}) {
      if (std::count(o.stages.begin(), o.stages.end(), stage) + std::count(o.stages.begin(), o.stages.end(), "all")) {
        stages_.push_back(stage);
      }
    }
    if (!bench_.on_device()) {
      stages_ = {""};
    }
    if (!o.pattern_file.empty()) {
      lines_ = pattern_lines(o.pattern_file);
    }
  }

  void run(const BenchText& text) {
    searched_.reset();
    searched_.emplace(text.characters(), bench_.on_device() && rank_search_ == nullptr);
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
    for (const matchers::SetFacts* facts : matchers_) {
      std::optional<SetSearch> search;
      try {
        if (rank_search_ == nullptr) {
          search.emplace(facts->name, bench_.on_device(), *checked.set);
        }
      } catch (const UsageError& error) {
        leave_out(facts->name, error.what());
        continue;
      }
      for (const std::string& stage : stages_) {
        for (const unsigned threads : bench_.on_device() ? std::vector<unsigned>{1} : options_.threads) {
          for (const std::string& output : options_.outputs) {
            search ? run_alone(checked, *facts, *search, stage, used_threads(threads), output)
                   : run_on_ranks(checked, *facts, stage, threads == 0 ? ranks_.cores() : threads, output);
          }
        }
      }
    }
  }

  // An algorithm that cannot take the set is an error only if it was named.
  void leave_out(const std::string& name, const std::string& why) const {
    if (std::count(options_.algorithms.begin(), options_.algorithms.end(), name) != 0) {
      throw UsageError("--algorithm " + name + ": " + why);
    }
    std::cerr << "trawl-bench multi: no row for " << name << ": " << why << '\n';
  }

  // The columns that all rows begin with.
  Bench::Row begin_row(const CheckedSet& checked, const matchers::SetFacts& facts, const std::string& stage) const {
    return {{"algorithm", facts.name},
            {"patterns", std::to_string(checked.set->given())},
            {"different", std::to_string(checked.set->size())},
            {"m", checked.lengths},
            {"engine", bench_.engine()},
            {"stage", stage.empty() ? "-" : stage}};
  }

  void run_on_ranks(const CheckedSet& checked, const matchers::SetFacts& facts, const std::string& stage,
                    unsigned threads, const std::string& output) {
    double of_one_rank = 0;
    for (const unsigned ranks : options_.ranks.empty() ? std::vector{ranks_.size()} : options_.ranks) {
      const RankRun run = rank_search_->run({facts.name, stage, ranks, threads, options_.repeats, output == "patterns"},
                                            checked.text.characters(), checked.patterns);
      matchers::SetFound found;
      found.count = run.count;
      found.patterns = run.patterns;
      check_set(checked.name(facts) + ", " + std::to_string(ranks) + " ranks", found, SetOutput::patterns,
                checked.expected, kCheckedStretch);
      const double load = median(run.load_seconds), search = median(run.search_seconds),
                   reduce = median(run.reduce_seconds), total = load + search + reduce;
      of_one_rank = ranks == 1 ? total : of_one_rank;
      Bench::Row row = begin_row(checked, facts, stage);
      row.insert(row.end(), {{"ranks", std::to_string(ranks)},
                             {"threads", std::to_string(threads)},
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

  void run_alone(const CheckedSet& checked, const matchers::SetFacts& facts, const SetSearch& search,
                 const std::string& stage, unsigned threads, const std::string& output) {
    const bool on_device = bench_.on_device();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const std::string name = checked.name(facts) + (on_device ? ", stage " + stage : "");
    const auto checked_search = [&](SetOutput form, std::uint64_t stretch, unsigned repeats) {
      SetResult found = search.search(*searched_, {form, stage, threads > 1, stretch, checked.expected.count}, repeats);
      check_set(name, found, on_device && form != SetOutput::patterns ? SetOutput::count : form, checked.expected,
                kCheckedStretch);
      if (form == SetOutput::positions) {
        check_digest(name, found.digest, checked.expected);
      }
      return found;
    };
    (void)checked_search(SetOutput::patterns, options_.stride, 0);
    if (!on_device) {
      (void)checked_search(SetOutput::stretches, kCheckedStretch, 0);
    }
    const SetResult found = checked_search(set_output(output), options_.stride, options_.repeats);
    const BenchText& text = checked.text;
    const double seconds = median(found.seconds);
    Bench::Row row = begin_row(checked, facts, stage);
    row.insert(row.end(), {{"threads", on_device ? found.grid : std::to_string(threads)},
                           {"stretch", on_device              ? std::to_string(found.stretch)
                                       : options_.stride == 0 ? "-"
                                                              : std::to_string(options_.stride)},
                           {"matches", std::to_string(checked.expected.count)},
                           {"prepare_ms", number((checked.sort_seconds + search.prepare_seconds()) * 1e3)},
                           {"search_ms", number(seconds * 1e3)},
                           {"Gchar/s", number(static_cast<double>(text.size()) / seconds / 1e9)},
                           {"table_bytes", std::to_string(search.table_bytes())},
                           {"text", text.name()},
                           {"text_bytes", std::to_string(text.size())},
                           {"letters", std::to_string(text.letters())},
                           {"output", output}});
    bench_.add(row);
  }

  const Options& options_;
  Bench bench_;
  Ranks& ranks_;
  RankSearch* rank_search_;
  std::vector<const matchers::SetFacts*> matchers_;
  std::optional<SetText> searched_;
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
    for (const matchers::SetFacts* facts : set_matchers(false)) {
      std::cout << (ranks.is_first()
                        ? std::string(facts->name) + '\t' + std::to_string(facts->year) + '\t' + facts->limits + '\n'
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
