// multi: checks and times matchers of sets beside each other; under mpirun also with the text dealt out to ranks.
#include <tbb/global_control.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "base/packer.hpp"
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

// All of them, also those of the other engine.
std::vector<Algorithm> set_algorithms() {
  std::vector<Algorithm> all;
  add_algorithms(all, matchers::cpu_set_matchers(), &Algorithm::on_cpu);
#ifdef TRAWL_WITH_CUDA
  add_algorithms(all, gpu::gpu_set_matchers(), &Algorithm::on_cuda);
#endif
  return all;
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

// A set to search for, and on the first rank what is right.
struct CheckedSet {
  const BenchText& text;
  std::string lengths;
  double sort_seconds = 0;
  std::optional<matchers::PatternSet> set = {};
  ExpectedSet expected = {};

  CheckedSet(const BenchText& searched, const std::vector<std::string>& patterns, const std::string& their_lengths,
             bool is_first)
      : text(searched), lengths(their_lengths) {
    sort_seconds = seconds_of([&] { set.emplace(patterns); });
    if (lengths.empty()) {
      lengths = LengthRange{static_cast<unsigned>(set->shortest()), static_cast<unsigned>(set->longest())}.name();
    }
    if (is_first) {
      expected = expected_set(text.characters(), *set, kCheckedStretch);
    }
  }
};

// Under mpirun all ranks go through all of it together. The first one has the texts and the patterns, and adds the
// rows.
class MultiExperiment {
 public:
  MultiExperiment(const Options& o, ranks::Cluster& cluster)
      : options_(o), bench_(o), cluster_(cluster), algorithms_(bench_.chosen(set_algorithms())) {
    for (const char* stage : {"u", "tc", "cr", "r16", "cw", "st"}) {
      if (std::count(o.stages.begin(), o.stages.end(), stage) + std::count(o.stages.begin(), o.stages.end(), "all")) {
        stages_.push_back(stage);
      }
    }
    if (!bench_.on_device()) {
      stages_ = {""};
    }
    if (!o.pattern_file.empty() && cluster.is_first()) {
      lines_ = pattern_lines(o.pattern_file);
    }
  }

  void run() {
    for_each_text(options_, cluster_.is_first(), [&](const BenchText& text) {
      if (cluster_.is_alone()) {
        searched_.reset();
        searched_.emplace(text.characters(), bench_.on_device());
      }
      if (!options_.pattern_file.empty()) {
        return run_set(text, lines_, "");
      }
      for (const LengthRange& range : options_.pattern_lengths) {
        for (const unsigned count : options_.patterns) {
          const bool plain = !options_.fasta.empty();
          run_set(text, cluster_.is_first() ? cut_pieces(text, range, count, plain, options_.seed) : lines_,
                  range.name());
        }
      }
    });
    bench_.finish();
  }

 private:
  void run_set(const BenchText& text, std::vector<std::string> patterns, const std::string& lengths) {
    if (!cluster_.is_alone()) {
      share(patterns);
    }
    const CheckedSet checked(text, patterns, lengths, cluster_.is_first());
    for (const Algorithm& algorithm : algorithms_) {
      try {
        std::optional<SetSearch> search;
        if (cluster_.is_alone()) {
          search.emplace(algorithm.facts->name, bench_.on_device(), *checked.set);
        }
        for (const std::string& stage : stages_) {
          for (const unsigned threads : bench_.on_device() ? std::vector<unsigned>{1} : options_.threads) {
            for (const std::string& output : options_.outputs) {
              search ? run_alone(checked, algorithm, *search, stage, used_threads(threads), output)
                     : run_on_ranks(checked, algorithm, stage, threads == 0 ? cluster_.cores() : threads, output);
            }
          }
        }
      } catch (const UsageError& error) {  // it cannot take the set, on any rank
        if (cluster_.is_first()) {
          bench_.leave_out(algorithm, error.what());
        }
      }
    }
  }

  // The patterns of the first rank, on every rank.
  void share(std::vector<std::string>& patterns) {
    Packer packer;
    for (const std::string& pattern : patterns) {
      packer.text(pattern);
    }
    std::string bytes = packer.take();
    cluster_.broadcast(bytes);
    patterns.clear();
    for (Unpacker unpacker(bytes); !unpacker.at_end();) {
      patterns.emplace_back(unpacker.text());
    }
  }

  std::string name(const CheckedSet& checked, const Algorithm& algorithm) const {
    return algorithm.code() + ", " + std::to_string(checked.set->size()) + " patterns, m = " + checked.lengths +
           ", text " + checked.text.name();
  }

  // A row: the columns that all rows begin with, `row`, and the text.
  void add_row(const CheckedSet& checked, const Algorithm& algorithm, const std::string& stage,
               const std::string& output, const Bench::Row& measured) {
    Bench::Row row = {{"algorithm", algorithm.code()},
                      {"patterns", std::to_string(checked.set->given())},
                      {"different", std::to_string(checked.set->size())},
                      {"m", checked.lengths},
                      {"engine", bench_.engine()},
                      {"stage", stage.empty() ? "-" : stage},
                      {"matches", std::to_string(checked.expected.count)}};
    for (const Bench::Row& part : {measured, text_columns(checked.text), Bench::Row{{"output", output}}}) {
      row.insert(row.end(), part.begin(), part.end());
    }
    bench_.add(row);
  }

  void run_on_ranks(const CheckedSet& checked, const Algorithm& algorithm, const std::string& stage, unsigned threads,
                    const std::string& output) {
    double of_one_rank = 0;
    for (const unsigned ranks : options_.ranks.empty() ? std::vector{cluster_.size()} : options_.ranks) {
      const RankJob job{algorithm.facts->name, stage, ranks, threads, options_.repeats, output == "patterns"};
      const std::string_view text = cluster_.is_first() ? checked.text.characters() : std::string_view();
      const RankRun run = search_on_ranks(cluster_, job, text, *checked.set);
      if (!cluster_.is_first()) {
        continue;
      }
      check_set(name(checked, algorithm) + ", " + std::to_string(ranks) + " ranks", run.found, SetOutput::patterns,
                checked.expected, kCheckedStretch);
      const double total = run.load + run.search + run.reduce;
      of_one_rank = ranks == 1 ? total : of_one_rank;
      add_row(checked, algorithm, stage, output,
              {{"ranks", std::to_string(ranks)},
               {"threads", std::to_string(threads)},
               {"prepare_ms", number(run.prepare * 1e3)},
               {"load_ms", number(run.load * 1e3)},
               {"search_ms", number(run.search * 1e3)},
               {"reduce_ms", number(run.reduce * 1e3)},
               {"total_ms", number(total * 1e3)},
               {"speedup", of_one_rank > 0 ? number(of_one_rank / total) : "-"},
               {"cpu_ms", number(run.cpu * 1e3)},
               {"most_cpu_ms", number(run.most_cpu * 1e3)}});
    }
  }

  void run_alone(const CheckedSet& checked, const Algorithm& algorithm, const SetSearch& search,
                 const std::string& stage, unsigned threads, const std::string& output) {
    const bool on_device = bench_.on_device();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const std::string who = name(checked, algorithm) + (on_device ? ", stage " + stage : "");
    const auto checked_search = [&](SetOutput form, std::uint64_t stretch, unsigned repeats) {
      SetResult found = search.search(*searched_, {form, stage, threads > 1, stretch, checked.expected.count}, repeats);
      check_set(who, found, on_device && form == SetOutput::stretches ? SetOutput::count : form, checked.expected,
                kCheckedStretch, found.digest);
      return found;
    };
    (void)checked_search(SetOutput::patterns, 0, 0);
    if (!on_device) {
      (void)checked_search(SetOutput::stretches, kCheckedStretch, 0);
    }
    const SetResult found = checked_search(set_output(output), 0, options_.repeats);
    const double seconds = bench_.median_of(who, found.seconds);
    add_row(checked, algorithm, stage, output,
            {{"threads", on_device ? found.grid : std::to_string(threads)},
             {"prepare_ms", number((checked.sort_seconds + search.prepare_seconds()) * 1e3)},
             {"search_ms", number(seconds * 1e3)},
             {"Gchar/s", number(static_cast<double>(checked.text.size()) / seconds / 1e9)},
             {"table_bytes", std::to_string(search.table_bytes())}});
  }

  const Options& options_;
  Bench bench_;
  ranks::Cluster& cluster_;
  std::vector<Algorithm> algorithms_;
  std::optional<SetText> searched_;
  std::vector<std::string> stages_;
  std::vector<std::string> lines_;
};

// Every rank finds the same.
void check_ranks(const Options& o, const ranks::Cluster& cluster) {
  if (cluster.is_alone()) {
    if (o.is_given("--ranks")) {
      throw UsageError("--ranks is for several ranks; start them with mpirun -n N trawl-bench multi");
    }
    return;
  }
  const bool has_other = std::any_of(o.outputs.begin(), o.outputs.end(),
                                     [](const auto& output) { return output != "count" && output != "patterns"; });
  if (has_other) {
    throw UsageError("under mpirun --output is count or patterns");
  }
  for (const unsigned count : o.ranks) {
    if (count > cluster.size()) {
      throw UsageError("--ranks " + std::to_string(count) + ": mpirun has started " + std::to_string(cluster.size()));
    }
  }
}

void run_multi(const Options& given, ranks::Cluster& cluster) {
  if (given.list) {
    if (cluster.is_first()) {
      print_list(set_algorithms());
    }
    return;
  }
  Options o = given;
  if (!cluster.is_alone() && o.engine == "auto") {
    o.engine = "cpu";  // ranks need not all have a device: it must be asked for
  }
  std::optional<MultiExperiment> experiment;
  cluster.together([&] {
    check_ranks(o, cluster);
    experiment.emplace(o, cluster);
  });
  experiment->run();
}

}  // namespace

Experiment multi_experiment() {
  return {
      .name = "multi",
      .description = "Sets of many patterns: Aho-Corasick and Wu-Manber (Kouzinopoulos et al. 2015) beside each other",
      .options = "--list --algorithm --patterns --pattern-file --threads --stage --ranks ",
      .outputs = {"count", "stretches", "patterns", "positions"},
      .defaults = {.pattern_lengths = {{8, 8}}, .patterns = {1000}},
      .footer =
          "Each row of the table is one algorithm that searches one set of patterns. Several values, separated by\n"
          "commas, give one row for each combination. The table is TSV. Its columns:\n"
          "  algorithm, engine     the name (--list), and where it runs\n"
          "  patterns, different   patterns of the set, and how many are different; each is searched once\n"
          "  m                     their length, or the shortest and the longest\n"
          "  stage                 on the GPU, as --stage\n"
          "  threads               on the GPU blocks x threads\n"
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
