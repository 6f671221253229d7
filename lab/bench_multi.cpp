#include "lab/bench_multi.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "lab/bench_clock.hpp"
#include "lab/bench_engine.hpp"
#include "lab/bench_exact_text.hpp"
#include "lab/bench_multi_check.hpp"
#include "lab/bench_multi_ranks.hpp"
#include "lab/bench_multi_scan.hpp"
#include "lab/bench_table.hpp"
#include "lab/bench_text.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#endif

namespace trawl::lab {

namespace {

using matchers::CpuSetMatcher;
using matchers::PatternSet;
using matchers::SetOutput;

constexpr std::uint64_t kCheckedStretch = 4096;

// A set to search for, and what is right.
struct CheckedSet {
  std::string lengths;
  double sort_seconds = 0;
  std::optional<PatternSet> set;
  ExpectedSet expected;
};

// What an algorithm took for a set.
struct SetRow {
  const char* engine = "cpu";
  std::string stage = "-";
  std::string threads;
  std::string stretch = "-";
  double prepare_seconds = 0;
  double search_seconds = 0;
  std::uint64_t table_bytes = 0;
};

// What `trawl scan` does, beside the matchers.
constexpr matchers::SetFacts kScanFacts = {.name = kScanName};

// The matchers of one engine by the words of --algorithm.
template <class Matcher>
std::vector<const Matcher*> choose_matchers(const std::vector<Matcher>& all, const std::vector<std::string>& words) {
  std::vector<const Matcher*> chosen;
  for (const std::string& word : words) {
    bool known = word == kScanFacts.name;
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

std::vector<std::string> lines_of(const std::string& path) {
  const BenchText file(path);
  const std::string all = file.read(0, file.size());
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

// Pieces from random places. From a FASTA file, those with other letters than A, C, G and T are left out if there are
// enough others.
std::vector<std::string> cut_patterns(const ExactText& text, unsigned count, const LengthRange& range, bool plain_bases,
                                      std::uint64_t seed) {
  if (range.longest > text.characters.size()) {
    throw UsageError("-m " + range.name() + ": a pattern can be longer than the text, " + text.name + " of " +
                     std::to_string(text.characters.size()) + " characters");
  }
  const std::uint64_t places = text.characters.size() - range.longest + 1;
  const std::uint64_t start = mixed(seed + range.longest);
  std::uint64_t next = 0;
  std::vector<std::string> pieces;
  for (unsigned i = 0; i < count; ++i) {
    std::string piece;
    unsigned tries = 0;
    do {
      const std::uint64_t random = mixed(start + next++);
      const std::uint64_t m = range.shortest + mixed(random) % (range.longest - range.shortest + 1);
      piece = text.characters.substr(random % places, m);
    } while (plain_bases && ++tries < 100 && piece.find_first_not_of("ACGT") != std::string::npos);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

class MultiExperiment {
 public:
  /// `ranks`: under mpirun, on the first rank; otherwise null.
  MultiExperiment(const MultiOptions& options, bool on_device, RankSearch* ranks)
      : options_(options), on_device_(on_device), ranks_(ranks), form_(options.form()) {
#ifdef TRAWL_WITH_CUDA
    if (on_device) {
      gpu_matchers_ = choose_matchers(gpu::gpu_set_matchers(), options.algorithms);
    }
#endif
    if (!on_device) {
      cpu_matchers_ = choose_matchers(matchers::cpu_set_matchers(), options.algorithms);
    }
    if (!options.pattern_file.empty()) {
      lines_ = lines_of(options.pattern_file);
    }
  }

  void run_text(const ExactText& text) {
#ifdef TRAWL_WITH_CUDA
    if (on_device_ && ranks_ == nullptr) {
      device_text_.reset();
      device_text_ = std::make_unique<gpu::DeviceText>(text.characters);
    }
#endif
    if (!lines_.empty()) {
      run_set(text, lines_, "");
      return;
    }
    for (const LengthRange& range : options_.length_ranges()) {
      for (const unsigned count : options_.patterns) {
        run_set(text, cut_patterns(text, count, range, !options_.fasta.empty(), options_.seed), range.name());
      }
    }
  }

  void write() const {
    if (!options_.tsv.empty()) {
      table_.write_tsv(options_.tsv);
    }
  }

 private:
  void run_set(const ExactText& text, const std::vector<std::string>& patterns, const std::string& lengths) {
    CheckedSet checked;
    checked.lengths = lengths;
    checked.sort_seconds = seconds_of([&] { checked.set.emplace(patterns); });
    if (lengths.empty()) {
      checked.lengths =
          LengthRange{static_cast<unsigned>(checked.set->shortest()), static_cast<unsigned>(checked.set->longest())}
              .name();
    }
    checked.expected = expected_set(text.characters, *checked.set, kCheckedStretch);
    if (ranks_ != nullptr) {
      for (const CpuSetMatcher* matcher : cpu_matchers_) {
        run_on_ranks(text, checked, *matcher->facts, "", patterns);
      }
#ifdef TRAWL_WITH_CUDA
      for (const gpu::GpuSetMatcher* matcher : gpu_matchers_) {
        for (const std::string& stage : options_.chosen_stages()) {
          run_on_ranks(text, checked, *matcher->facts, stage, patterns);
        }
      }
#endif
      if (is_named("all") || is_named(kScanFacts.name)) {
        const std::string why = MultiScan::why_not(text, *checked.set);
        why.empty() ? run_on_ranks(text, checked, kScanFacts, on_device_ ? "-" : "", patterns)
                    : leave_out(kScanFacts.name, why);
      }
      return;
    }
    for (const CpuSetMatcher* matcher : cpu_matchers_) {
      run_matcher(*matcher, checked, [&](const matchers::PreparedSet& prepared, double prepare_seconds) {
        for (const unsigned threads : options_.threads) {
          run_on_cpu(text, checked, *matcher->facts, prepared, prepare_seconds, used_threads(threads));
        }
      });
    }
#ifdef TRAWL_WITH_CUDA
    for (const gpu::GpuSetMatcher* matcher : gpu_matchers_) {
      run_matcher(*matcher, checked, [&](const gpu::GpuPreparedSet& prepared, double prepare_seconds) {
        for (const std::string& stage : options_.chosen_stages()) {
          run_on_device(text, checked, *matcher->facts, prepared, prepare_seconds, gpu::set_stage(stage));
        }
      });
    }
#endif
    run_scan(text, checked);
  }

  // 0: all that this process may use.
  unsigned used_threads(unsigned threads) const {
    if (threads > 0) {
      return threads;
    }
    return ranks_ != nullptr ? ranks_->cores() : std::max(1u, std::thread::hardware_concurrency());
  }

  bool is_named(const char* name) const {
    return std::count(options_.algorithms.begin(), options_.algorithms.end(), name) != 0;
  }

  // An algorithm that cannot take the set or the text is an error only if it was named.
  void leave_out(const char* name, const std::string& why) const {
    if (is_named(name)) {
      throw UsageError("--algorithm " + std::string(name) + ": " + why);
    }
    std::cerr << "trawl-bench multi: no row for " << name << ": " << why << '\n';
  }

  void run_scan(const ExactText& text, const CheckedSet& checked) {
    if (!is_named("all") && !is_named(kScanFacts.name)) {
      return;
    }
    if (const std::string why = MultiScan::why_not(text, *checked.set); !why.empty()) {
      return leave_out(kScanFacts.name, why);
    }
    const MultiScan scan(text, *checked.set);
    const auto add = [&](const MultiScanRun& run, const char* engine, const std::string& threads) {
      const std::string name = who(text, checked, kScanFacts);
      check_set(name, run.found, SetOutput::patterns, checked.expected, kCheckedStretch);
      check_digest(name, digest_of(run.found.positions), checked.expected);
      add_row(text, checked, kScanFacts,
              {.engine = engine,
               .threads = threads,
               .prepare_seconds = checked.sort_seconds + run.prepare_seconds,
               .search_seconds = median(run.seconds)},
              "positions");
    };
#ifdef TRAWL_WITH_CUDA
    if (on_device_) {
      return add(scan.on_device(options_.repeats), "cuda", "-");
    }
#endif
    for (const unsigned threads : options_.threads) {
      const unsigned used = used_threads(threads);
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, used);
      add(scan.on_cpu(options_.repeats), "cpu", std::to_string(used));
    }
  }

  // Makes the tables.
  template <class Matcher, class Run>
  void run_matcher(const Matcher& matcher, const CheckedSet& checked, Run&& run) {
    decltype(matcher.prepare(*checked.set)) prepared;
    double prepare_seconds = checked.sort_seconds;
    try {
      prepare_seconds += seconds_of([&] { prepared = matcher.prepare(*checked.set); });
    } catch (const UsageError& error) {
      return leave_out(matcher.facts->name, error.what());
    }
    run(*prepared, prepare_seconds);
  }

  void run_on_ranks(const ExactText& text, const CheckedSet& checked, const matchers::SetFacts& facts,
                    const std::string& stage, const std::vector<std::string>& patterns) {
    for (const unsigned threads : stage.empty() ? options_.threads : std::vector<unsigned>{1}) {
      const unsigned used = used_threads(threads);
      double of_one_rank = 0;
      for (const unsigned ranks : options_.ranks) {
        const RankRun run = ranks_->run(
            {facts.name, stage, ranks, used, options_.repeats, form_ == SetOutput::patterns}, text, patterns);
        matchers::SetFound found;
        found.count = run.count;
        found.patterns = run.patterns;
        check_set(who(text, checked, facts) + ", " + std::to_string(ranks) + " ranks", found, SetOutput::patterns,
                  checked.expected, kCheckedStretch);
        const double load = median(run.load_seconds), search = median(run.search_seconds),
                     reduce = median(run.reduce_seconds), total = load + search + reduce;
        if (ranks == 1) {
          of_one_rank = total;
        }
        table_.add({{"algorithm", facts.name},
                    {"patterns", std::to_string(checked.set->given())},
                    {"different", std::to_string(checked.set->size())},
                    {"m", checked.lengths},
                    {"engine", stage.empty() ? "cpu" : "cuda"},
                    {"stage", stage.empty() ? "-" : stage},
                    {"ranks", std::to_string(ranks)},
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
                    {"text", text.name},
                    {"text_bytes", std::to_string(text.characters.size())},
                    {"output", options_.output}},
                   std::cout);
      }
    }
  }

  static std::string who(const ExactText& text, const CheckedSet& checked, const matchers::SetFacts& facts) {
    return std::string(facts.name) + ", " + std::to_string(checked.set->size()) + " patterns, m = " + checked.lengths +
           ", text " + text.name;
  }

  void run_on_cpu(const ExactText& text, const CheckedSet& checked, const matchers::SetFacts& facts,
                  const matchers::PreparedSet& prepared, double prepare_seconds, unsigned threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    matchers::SetWork work{.all_threads = threads > 1, .stretch = options_.stride};
    const auto check = [&](SetOutput output, std::uint64_t stretch) {
      auto checked_work = work;
      checked_work.output = output;
      checked_work.stretch = stretch;
      check_set(who(text, checked, facts), prepared.search(text.characters, checked_work), output, checked.expected,
                kCheckedStretch);
    };
    check(SetOutput::patterns, options_.stride);
    check(SetOutput::stretches, kCheckedStretch);
    check(form_, options_.stride);

    work.output = form_;
    std::vector<double> seconds;
    for (unsigned r = 0; r < options_.repeats; ++r) {
      seconds.push_back(prepared.search(text.characters, work).search_seconds);
    }
    add_row(text, checked, facts,
            {.threads = std::to_string(threads),
             .stretch = options_.stride == 0 ? "-" : std::to_string(options_.stride),
             .prepare_seconds = prepare_seconds,
             .search_seconds = median(seconds),
             .table_bytes = prepared.table_bytes()},
            options_.output);
  }

#ifdef TRAWL_WITH_CUDA
  void run_on_device(const ExactText& text, const CheckedSet& checked, const matchers::SetFacts& facts,
                     const gpu::GpuPreparedSet& prepared, double prepare_seconds, gpu::SetStage stage) {
    const std::string name = who(text, checked, facts) + ", stage " + std::string(gpu::name_of(stage));
    gpu::GpuSetWork work{.stage = stage,
                         .stretch = static_cast<unsigned>(options_.stride),
                         .room = checked.expected.count,
                         .fetch = false};
    const auto checked_search = [&](SetOutput output, unsigned repeats) {
      work.output = output;
      gpu::GpuSetFound found = prepared.search(*device_text_, work, repeats);
      matchers::SetFound numbers;  // the positions stay on the device
      numbers.count = found.count;
      numbers.patterns = found.patterns;
      check_set(name, numbers, output == SetOutput::patterns ? output : SetOutput::count, checked.expected,
                kCheckedStretch);
      if (output == SetOutput::positions) {
        check_digest(name, found.hash, checked.expected);
      }
      return found;
    };
    (void)checked_search(SetOutput::patterns, 0);
    const gpu::GpuSetFound found = checked_search(form_, options_.repeats);
    add_row(text, checked, facts,
            {.engine = "cuda",
             .stage = std::string(gpu::name_of(stage)),
             .threads = std::to_string(found.plan.blocks) + "x" + std::to_string(found.plan.threads),
             .stretch = std::to_string(found.plan.stretch),
             .prepare_seconds = prepare_seconds,
             .search_seconds = median(found.seconds),
             .table_bytes = prepared.table_bytes()},
            options_.output);
  }
#endif

  void add_row(const ExactText& text, const CheckedSet& checked, const matchers::SetFacts& facts, const SetRow& row,
               const std::string& output) {
    table_.add({{"algorithm", facts.name},
                {"patterns", std::to_string(checked.set->given())},
                {"different", std::to_string(checked.set->size())},
                {"m", checked.lengths},
                {"engine", row.engine},
                {"stage", row.stage},
                {"threads", row.threads},
                {"stretch", row.stretch},
                {"matches", std::to_string(checked.expected.count)},
                {"prepare_ms", number(row.prepare_seconds * 1e3)},
                {"search_ms", number(row.search_seconds * 1e3)},
                {"Gchar/s", number(static_cast<double>(text.characters.size()) / row.search_seconds / 1e9)},
                {"table_bytes", row.table_bytes == 0 ? "-" : std::to_string(row.table_bytes)},
                {"text", text.name},
                {"text_bytes", std::to_string(text.characters.size())},
                {"letters", std::to_string(text.letters)},
                {"output", output}},
               std::cout);
  }

  const MultiOptions& options_;
  bool on_device_;
  RankSearch* ranks_;
  std::vector<const CpuSetMatcher*> cpu_matchers_;
#ifdef TRAWL_WITH_CUDA
  std::vector<const gpu::GpuSetMatcher*> gpu_matchers_;
  std::unique_ptr<gpu::DeviceText> device_text_;
#endif
  SetOutput form_;
  std::vector<std::string> lines_;
  BenchTable table_{BenchTable::Form::tsv};
};

}  // namespace

void list_set_matchers() {
  for (const CpuSetMatcher& matcher : matchers::cpu_set_matchers()) {
    const matchers::SetFacts& facts = *matcher.facts;
    std::cout << facts.name << '\t' << facts.year << '\t' << facts.limits << '\n';
  }
}

void run_multi(const MultiOptions& options, ranks::Cluster& cluster) {
  RankSearch ranks(cluster);
  if (!cluster.is_first()) {
    ranks.serve();
    return;
  }
  // Ranks need not all have a device: it must be asked for.
  const bool on_device =
      (cluster.is_alone() || options.engine == "cuda") && choose_bench_engine(options.engine) == "cuda";
  MultiExperiment experiment(options, on_device, cluster.is_alone() ? nullptr : &ranks);
  try {
    for_each_text(options, [&](const ExactText& text) { experiment.run_text(text); });
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory for the text, the tables and the result: give a smaller -n, or fewer patterns");
  }
  experiment.write();
  ranks.end();
}

}  // namespace trawl::lab
