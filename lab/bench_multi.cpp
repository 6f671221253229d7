// multi: checks and times matchers of sets beside each other, on either engine. Under `mpirun -n N trawl-bench multi`,
// as in the paper, the text is dealt out to the ranks in equal pieces, each searches its piece, and the counts are
// added up.
#include <tbb/global_control.h>
#include <time.h>

#include <cstring>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_options.hpp"
#include "lab/bench_runner.hpp"
#include "lab/bench_text.hpp"
#include "ranks/cluster.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#endif

namespace trawl::lab {

namespace {

using matchers::PatternSet;
using matchers::SetFound;
using matchers::SetOutput;

constexpr std::uint64_t kCheckedStretch = 4096;
constexpr ranks::Tag kPiece = 0;

SetOutput set_output(const std::string& word) {
  using enum SetOutput;
  return word == "stretches" ? stretches : word == "patterns" ? patterns : count;
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

// A text in the memory of the host, which must stay there, and of the device if it is searched there.
struct SetText {
  SetText(std::string_view text, [[maybe_unused]] bool on_device) : characters(text) {
#ifdef TRAWL_WITH_CUDA
    if (on_device) {
      device = std::make_unique<gpu::DeviceText>(text);
    }
#endif
  }

  std::string_view characters;
#ifdef TRAWL_WITH_CUDA
  std::unique_ptr<gpu::DeviceText> device;
#endif
};

struct SetResult : SetFound {
  std::vector<double> seconds = {};  // of each timed search
  std::string grid = {};             // on the device: blocks x threads
};

// A matcher with its tables for a set of patterns, on either engine.
class SetSearch {
 public:
  // Throws UsageError if it cannot take the set.
  SetSearch(const Algorithm& algorithm, [[maybe_unused]] bool on_device, const PatternSet& set) {
    prepare_seconds_ = seconds_of([&] {
#ifdef TRAWL_WITH_CUDA
      if (on_device) {
        on_device_ = matcher_of(gpu::gpu_set_matchers(), algorithm).prepare(set);
        return;
      }
#endif
      prepared_ = matcher_of(matchers::cpu_set_matchers(), algorithm).prepare(set);
    });
  }

  // Searches once without a time, and `repeats` times more. `stage`: of the kernels on the device.
  SetResult search(const SetText& text, const matchers::SetWork& work, [[maybe_unused]] const std::string& stage,
                   unsigned repeats) const {
    SetResult result;
#ifdef TRAWL_WITH_CUDA
    if (on_device_) {
      gpu::GpuSetFound found =
          on_device_->search(*text.device, {.stage = gpu::set_stage(stage), .output = work.output}, repeats);
      result.count = found.count;
      result.patterns = std::move(found.patterns);
      result.stretch = found.plan.stretch;
      result.seconds = std::move(found.seconds);
      result.grid = std::to_string(found.plan.blocks) + "x" + std::to_string(found.plan.threads);
      return result;
    }
#endif
    static_cast<SetFound&>(result) = prepared_->search(text.characters, work);
    for (unsigned r = 0; r < repeats; ++r) {
      result.seconds.push_back(prepared_->search(text.characters, work).search_seconds);
    }
    return result;
  }

  double prepare_seconds() const { return prepare_seconds_; }
  std::uint64_t table_bytes() const {
#ifdef TRAWL_WITH_CUDA
    if (on_device_) {
      return on_device_->table_bytes();
    }
#endif
    return prepared_->table_bytes();
  }

 private:
  std::unique_ptr<matchers::PreparedSet> prepared_;
#ifdef TRAWL_WITH_CUDA
  std::unique_ptr<gpu::GpuPreparedSet> on_device_;
#endif
  double prepare_seconds_ = 0;
};

// --- on ranks ---

// Seconds that cores work for this process during a call of `work`, all its threads together. If other programs take
// the cores, the call takes longer, but not more of these seconds.
double cpu_seconds_of(auto&& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}

SetFound without(SetFound found, const SetFound& other) {
  found.count -= other.count;
  for (std::size_t p = 0; p < other.patterns.size(); ++p) {
    found.patterns[p] -= other.patterns[p];
  }
  return found;
}

// The values of all ranks on the first rank, the own one on the others.
std::vector<double> gathered(ranks::Cluster& cluster, double value) {
  std::vector<double> all;
  for (const std::string& bytes : cluster.gather({reinterpret_cast<const char*>(&value), sizeof value})) {
    std::memcpy(&all.emplace_back(), bytes.data(), sizeof value);
  }
  return all.empty() ? std::vector{value} : all;
}

// How a text is cut for the ranks that work.
struct Pieces {
  std::uint64_t size = 0;
  unsigned ranks = 1;
  std::uint64_t longest = 1;  // of the patterns

  std::uint64_t begin_of(unsigned rank) const { return rank >= ranks ? size : size / ranks * rank; }
  // Characters of the piece before that are searched again.
  std::uint64_t before(unsigned rank) const { return std::min(begin_of(rank), longest - 1); }

  // The piece of this rank. The first rank, which has the text, sends those of the others.
  std::string take(ranks::Cluster& cluster, std::string_view text) const {
    if (!cluster.is_first()) {
      return cluster.rank() < ranks ? std::string(cluster.receive_from(0, kPiece).view()) : "";
    }
    for (unsigned to = 1; to < ranks; ++to) {
      const std::uint64_t begin = begin_of(to) - before(to);
      cluster.send(to, kPiece, text.substr(begin, begin_of(to + 1) - begin));
    }
    return std::string(text.substr(0, begin_of(1)));
  }
};

struct RankJob {
  unsigned ranks = 1;    // how many of the ranks work
  unsigned threads = 1;  // of each
  unsigned repeats = 1;
  std::string stage;        // of the kernels on the GPU; empty: it runs on the CPU
  bool by_pattern = false;  // add up the number of occurrences of each pattern, not only of all
};

// Of the search and what belongs to it the medians of the runs, in seconds.
struct RankRun {
  SetFound found;       // count and patterns
  double prepare = 0;   // for the tables, on the slowest rank
  double load = 0;      // until the last rank has its piece, on its device if it has one
  double search = 0;    // on the slowest rank
  double cpu = 0;       // of the search, of all ranks together
  double most_cpu = 0;  // of the rank that needs most
  double reduce = 0;    // until the first rank has the sum
};

// All ranks call it, with the same job and set; the first one has the text, and the result. Throws UsageError, on all
// ranks, if the algorithm cannot take the set.
RankRun search_on_ranks(ranks::Cluster& cluster, const Algorithm& algorithm, const RankJob& job, std::string_view text,
                        const PatternSet& set) {
  const bool works = cluster.rank() < job.ranks;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, job.threads);
  const bool on_device = !job.stage.empty();
#ifdef TRAWL_WITH_CUDA
  if (on_device) {
    const auto devices = gpu::devices();
    gpu::start(devices[cluster.local_rank() % devices.size()]);
  }
#endif
  const SetSearch search(algorithm, on_device, set);
  Pieces pieces{text.size(), job.ranks, set.longest()};
  cluster.broadcast({reinterpret_cast<char*>(&pieces.size), sizeof pieces.size});
  std::vector<double> load, searching, cpu, most_cpu, reduce;
  RankRun run;
  // The first run is not timed; it counts each pattern, for the check.
  for (unsigned r = 0; r <= job.repeats; ++r) {
    const SetOutput output = r == 0 || job.by_pattern ? SetOutput::patterns : SetOutput::count;
    std::string piece;
    std::optional<SetText> all, before;  // the occurrences that end in `before` are those of another piece
    cluster.barrier();
    load.push_back(seconds_of([&] {
      piece = pieces.take(cluster, text);
      if (works) {
        all.emplace(piece, on_device);
        before.emplace(std::string_view(piece).substr(0, pieces.before(cluster.rank())), on_device);
      }
      cluster.barrier();
    }));
    SetFound found;
    double search_time = 0;
    const double worked = cpu_seconds_of([&] {
      if (works) {
        const matchers::SetWork work{.all_threads = job.threads > 1, .output = output};
        const SetResult result = search.search(*all, work, job.stage, on_device ? 1 : 0);
        search_time = on_device ? result.seconds[0] : result.search_seconds;
        found = without(result, search.search(*before, work, job.stage, 0));
      }
    });
    searching.push_back(std::ranges::max(gathered(cluster, search_time)));
    const std::vector<double> all_worked = gathered(cluster, works ? worked : 0);
    cpu.push_back(std::accumulate(all_worked.begin(), all_worked.end(), 0.0));
    most_cpu.push_back(std::ranges::max(all_worked));
    std::vector<std::uint64_t> sums = std::move(found.patterns);
    sums.resize(output == SetOutput::patterns ? set.size() : 0);
    sums.push_back(found.count);
    cluster.barrier();
    reduce.push_back(seconds_of([&] { cluster.sum(sums); }));
    if (r == 0) {
      run.found.count = sums.back();
      sums.pop_back();
      run.found.patterns = std::move(sums);
    } else if (cluster.is_first() && sums.back() != run.found.count) {
      throw Error(algorithm.code() + ", " + std::to_string(job.ranks) +
                  " ranks: another number of occurrences than before");
    }
  }
  const auto of_timed = [](const std::vector<double>& runs) { return median({runs.begin() + 1, runs.end()}); };
  run.prepare = std::ranges::max(gathered(cluster, search.prepare_seconds()));
  run.load = of_timed(load);
  run.search = of_timed(searching);
  run.cpu = of_timed(cpu);
  run.most_cpu = of_timed(most_cpu);
  run.reduce = of_timed(reduce);
  return run;
}

// --- the experiment ---

// A set to search for, and on the first rank what is right.
struct CheckedSet {
  const BenchText& text;
  std::string lengths;
  std::optional<PatternSet> set = {};
  double sort_seconds = 0;
  ExpectedSet expected = {};
};

// Under mpirun all ranks go through all of it together. The first one has the texts and the patterns, and adds the
// rows.
class MultiExperiment {
 public:
  MultiExperiment(const Options& o, ranks::Cluster& cluster)
      : options_(o), bench_(o), cluster_(cluster), algorithms_(bench_.chosen(set_algorithms())) {
    for (const char* stage : {"u", "tc", "cr", "r16", "cw", "st"}) {
      const auto& asked = o.words("--stage");
      if (std::ranges::count(asked, stage) + std::ranges::count(asked, "all") > 0) {
        stages_.push_back(stage);
      }
    }
    if (!bench_.on_device()) {
      stages_ = {""};
    }
  }

  void run() {
    for_each_text(options_, cluster_.is_first(), [&](const BenchText& text) {
      std::optional<SetText> searched;
      if (cluster_.is_alone()) {
        searched.emplace(text.characters(), bench_.on_device());
      }
      for (const LengthRange& range : options_.pattern_lengths()) {
        for (const unsigned count : options_.numbers("--patterns")) {
          std::vector<std::string> patterns;
          if (cluster_.is_first()) {
            patterns = cut_pieces(text, range, count, options_.has("--fasta"), options_.number("--seed"));
          }
          share(patterns);
          CheckedSet checked{text, range.name()};
          checked.sort_seconds = seconds_of([&] { checked.set.emplace(patterns); });
          if (cluster_.is_first()) {
            checked.expected = expected_set(text.characters(), *checked.set, kCheckedStretch);
          }
          run_set(checked, searched);
        }
      }
    });
    bench_.finish();
  }

 private:
  void run_set(const CheckedSet& checked, const std::optional<SetText>& searched) {
    for (const Algorithm& algorithm : algorithms_) {
      try {
        std::optional<SetSearch> search;
        if (searched) {
          search.emplace(algorithm, bench_.on_device(), *checked.set);
        }
        for (const std::string& stage : stages_) {
          for (const unsigned threads : bench_.threads()) {
            for (const std::string& output : options_.words("--output")) {
              search ? run_alone(checked, algorithm, *searched, *search, stage, used_threads(threads), output)
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
    if (cluster_.is_alone()) {
      return;
    }
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

  // A row: the columns that all rows begin with, `measured`, and the text.
  void add_row(const CheckedSet& checked, const Algorithm& algorithm, const std::string& stage,
               const std::string& output, const Row& measured) {
    bench_.add(Row{{"algorithm", algorithm.code()},
                   {"patterns", std::to_string(checked.set->given())},
                   {"different", std::to_string(checked.set->size())},
                   {"m", checked.lengths},
                   {"engine", bench_.engine()},
                   {"stage", stage.empty() ? "-" : stage},
                   {"matches", std::to_string(checked.expected.count)}} +
               measured + text_columns(checked.text) + Row{{"output", output}});
  }

  void run_on_ranks(const CheckedSet& checked, const Algorithm& algorithm, const std::string& stage, unsigned threads,
                    const std::string& output) {
    double of_one_rank = 0;
    const std::vector<unsigned> asked = options_.numbers("--ranks");
    for (const unsigned ranks : asked.empty() ? std::vector{cluster_.size()} : asked) {
      const RankJob job{ranks, threads, options_.number("--repeats"), stage, output == "patterns"};
      const std::string_view text = cluster_.is_first() ? checked.text.characters() : std::string_view();
      const RankRun run = search_on_ranks(cluster_, algorithm, job, text, *checked.set);
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

  void run_alone(const CheckedSet& checked, const Algorithm& algorithm, const SetText& text, const SetSearch& search,
                 const std::string& stage, unsigned threads, const std::string& output) {
    const bool on_device = bench_.on_device();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const std::string who = name(checked, algorithm) + (on_device ? ", stage " + stage : "");
    const auto checked_search = [&](SetOutput form, std::uint64_t stretch, unsigned repeats) {
      SetResult found = search.search(text, {threads > 1, stretch, form}, stage, repeats);
      check_set(who, found, on_device && form == SetOutput::stretches ? SetOutput::count : form, checked.expected,
                kCheckedStretch);
      return found;
    };
    (void)checked_search(SetOutput::patterns, 0, 0);
    if (!on_device) {
      (void)checked_search(SetOutput::stretches, kCheckedStretch, 0);
    }
    const SetResult found = checked_search(set_output(output), 0, options_.number("--repeats"));
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
  std::vector<std::string> stages_;
};

// Every rank finds the same.
void check_ranks(const Options& o, const ranks::Cluster& cluster) {
  if (cluster.is_alone()) {
    if (o.has("--ranks")) {
      throw UsageError("--ranks is for several ranks; start them with mpirun -n N trawl-bench multi");
    }
    return;
  }
  if (std::ranges::count(o.words("--output"), "stretches") > 0) {
    throw UsageError("under mpirun --output is count or patterns");
  }
  for (const unsigned count : o.numbers("--ranks")) {
    if (count > cluster.size()) {
      throw UsageError("--ranks " + std::to_string(count) + ": mpirun has started " + std::to_string(cluster.size()));
    }
  }
}

void run_multi(const Options& given, ranks::Cluster& cluster) {
  if (given.has("--list")) {
    if (cluster.is_first()) {
      print_list(set_algorithms());
    }
    return;
  }
  Options o = given;
  if (!cluster.is_alone() && o.word("--engine") == "auto") {
    o.set("--engine", {"cpu"});  // ranks need not all have a device: it must be asked for
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
      .options = "--list --algorithm --patterns --threads --stage --ranks ",
      .outputs = {"count", "stretches", "patterns"},
      .defaults = {{"--pattern-length", "8"}, {"--patterns", "1000"}},
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
          "  n, text, letters      length of the text, its name, and how many different letters it has\n"
          "  output                the number of occurrences (count), or that of each stretch of the text or of each\n"
          "                        pattern\n"
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
          "  mpirun -n 4 trawl-bench multi -a wu-manber -n 100000000 --ranks 1,2,4\n"
          "      The text dealt out to 1, 2 and 4 ranks.\n",
      .run = run_multi};
}

}  // namespace trawl::lab
