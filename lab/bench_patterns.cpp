// Experiments that search a text for one pattern: exact matchers beside each other, GBPR, cuShiftOr and WsPASM, which
// say where a match ends; and ASM, which finds the substring that is nearest to it.
#include <tbb/global_control.h>

#include <iostream>
#include <optional>
#include <variant>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_options.hpp"
#include "lab/bench_runner.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/asm_diagonal.hpp"
#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/cushiftor_on_host.hpp"
#include "lab/matchers/gbpr.hpp"
#include "lab/matchers/wspasm.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/gpu_matchers.hpp"
#include "lab/kernels/paper_kernels.hpp"
#else
#include "lab/matchers/packed/word_compare.hpp"
#endif

namespace trawl::lab {

namespace {

using matchers::EndsDigest;
using matchers::Output;

// The time of the sequential program is measured on at most this many positions.
constexpr std::uint64_t kSequentialPositions = std::uint64_t{1} << 24;

Output output_of(const std::string& word) {
  using enum Output;
  return word == "bytes" ? bytes : word == "bits" ? bits : list;
}

// A text, and its copies on the device and in pinned memory, which are made when they are first needed.
class SearchedText {
 public:
  explicit SearchedText(BenchText& text) : text_(text) {}

  const BenchText& text() const { return text_; }
  const std::string& characters() const { return text_.characters(); }
  void plant(const std::vector<Plant>& plants) {
    text_.plant(plants);
#ifdef TRAWL_WITH_CUDA
    copied_.reset();
    for (const Plant& plant : device_ ? plants : std::vector<Plant>()) {
      device_->write(plant.position, std::string_view(plant.letters).substr(0, text_.size() - plant.position));
    }
#endif
  }
#ifdef TRAWL_WITH_CUDA
  const gpu::DeviceText& on_device() { return device_ ? *device_ : device_.emplace(characters()); }
  const gpu::HostCharacters& to_copy(bool pinned) { return copied_ ? *copied_ : copied_.emplace(characters(), pinned); }

 private:
  std::optional<gpu::DeviceText> device_;
  std::optional<gpu::HostCharacters> copied_;
#else

 private:
#endif
  BenchText& text_;
};

// What a pattern's search gives.
struct Result {
  EndsDigest found;
  std::vector<double> seconds;
  Row columns = {};  // what was chosen, and other times
};

// One way to search for a pattern.
struct Case {
  Row columns;  // what differs between the cases
  Output output;
  // `matches`: how many there are.
  std::function<Result(SearchedText&, std::uint64_t matches, unsigned repeats)> run;
  std::optional<Algorithm> algorithm = {};  // of --algorithm
};

struct Pattern {
  std::string letters;
  unsigned max_edits = 0;
  std::vector<Case> cases = {};
};

using MakeCases = std::function<std::vector<Case>(const Pattern&)>;

// All patterns of a text with their cases: what is not possible is reported before anything runs.
std::vector<Pattern> patterns_of(const BenchText& text, const Options& o, const MakeCases& cases) {
  std::vector<Pattern> patterns;
  for (const LengthRange& m : o.pattern_lengths()) {
    for (const unsigned k : o.numbers("--max-edits")) {
      Pattern pattern{changed_in_places(cut_pieces(text, m, 1, false, o.number("--seed")).front(), k), k};
      pattern.cases = cases(pattern);
      patterns.push_back(std::move(pattern));
    }
  }
  return patterns;
}

// Runs, checks and times all cases. `copy`: bytes read and written per second by a copy on the device; 0: not known.
void run_cases(const std::string& name, const Options& o, Bench& bench, double copy, const MakeCases& cases) {
  for_each_text(o, true, [&](BenchText& made) {
    const std::vector<Pattern> patterns = patterns_of(made, o, cases);
    SearchedText text(made);
    for (const Pattern& pattern : patterns) {
      if (made.is_random()) {
        text.plant(plants_for(made, pattern.letters, pattern.max_edits));
      }
      const EndsDigest expected = digest_of_ends(made.characters(), pattern.letters, pattern.max_edits);
      const auto n = static_cast<double>(made.size());
      for (const Case& one : pattern.cases) {
        const std::string who = (one.algorithm ? one.algorithm->code() : name) +
                                ", m = " + std::to_string(pattern.letters.size()) + ", text " + made.name();
        Result result;
        try {
          result = one.run(text, expected.count, o.number("--repeats"));
        } catch (const UsageError& error) {  // a table, for example, that does not fit into the memory asked for
          if (!one.algorithm) {
            throw;
          }
          bench.leave_out(*one.algorithm, error.what());
          continue;
        }
        check_ends(who, result.found, expected);
        const double seconds = bench.median_of(who, result.seconds);
        Row row = Row{{"algorithm", one.algorithm ? one.algorithm->code() : name},
                      {"m", std::to_string(pattern.letters.size())},
                      {"k", std::to_string(pattern.max_edits)}} +
                  one.columns +
                  Row{{"engine", bench.engine()},
                      {"matches", std::to_string(expected.count)},
                      {"ms", number(seconds * 1e3)},
                      {"Gchar/s", number(n / seconds / 1e9)}} +
                  result.columns;
        if (copy > 0) {
          const double written = one.output == Output::bits ? n / 8 : one.output == Output::bytes ? n : 0.0;
          row.push_back({"% of copy", number(100 * (n + written) / seconds / copy)});
        }
        if (o.has("--sequential")) {
          const std::string some = made.characters().substr(0, kSequentialPositions);
          const double sequential =
              seconds_of([&] { matchers::sequential_ends(some, pattern.letters, pattern.max_edits); });
          row.push_back({"x sequential", number(sequential / static_cast<double>(some.size()) * n / seconds)});
        }
        bench.add(row + text_columns(made));
      }
    }
  });
  bench.finish();
}

// --- exact ---

// All of them, also those that this build cannot run, sorted by code.
std::vector<Algorithm> exact_algorithms() {
  std::vector<Algorithm> all;
  add_algorithms(all, matchers::cpu_matchers(), &Algorithm::on_cpu);
#ifdef TRAWL_WITH_CUDA
  add_algorithms(all, gpu::gpu_matchers(), &Algorithm::on_cuda);
#else
  all.push_back({&matchers::WordCompare::kFacts});
#endif
  std::ranges::sort(all, {}, &Algorithm::code);
  return all;
}

Result exact_on_cpu(const Algorithm& algorithm, const std::string& text, const std::string& pattern, unsigned threads,
                    unsigned repeats) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const auto& matcher = matcher_of(matchers::cpu_matchers(), algorithm);
  Result result;
  std::vector<double> prepare;
  for (unsigned r = 0; r <= repeats; ++r) {
    const auto found = matcher.run(text, pattern, {.all_threads = threads > 1});
    if (r == 0) {  // not timed: it finds the caches cold
      result.found = digest_of(found.list);
      continue;
    }
    prepare.push_back(found.prepare_seconds);
    result.seconds.push_back(found.search_seconds);
  }
  result.columns = {
      {"threads", std::to_string(threads)}, {"memory", "-"}, {"prepare_ms", number(median(prepare) * 1e3)}};
  return result;
}

#ifdef TRAWL_WITH_CUDA
constexpr const char* kTableMemories[] = {"auto", "constant", "shared", "global"};  // in the order of TableMemory

// With the copies, if there are streams.
Result exact_on_device(const Algorithm& algorithm, SearchedText& text, const std::string& pattern,
                       const std::string& memory, const std::optional<unsigned>& streams, bool pinned,
                       std::uint64_t matches, unsigned repeats) {
  const gpu::GpuMatcher& matcher = gpu::gpu_matcher(algorithm.facts->name);
  const gpu::GpuWork work{
      .memory = static_cast<gpu::TableMemory>(std::ranges::find(kTableMemories, memory) - std::begin(kTableMemories))};
  Result result;
  gpu::GpuRun run;
  if (streams) {
    const gpu::HostCharacters& characters = text.to_copy(pinned);
    for (unsigned r = 0; r <= repeats; ++r) {
      const auto found = matcher.run_from_host(characters, pattern, {.streams = *streams, .search = work});
      if (r == 0) {
        result.found = digest_of(found.list);
        run = {found.prepare_seconds, {}, found.chosen};
      } else {
        run.seconds.push_back(found.seconds);
      }
    }
  } else {
    gpu::DeviceEnds ends(text.text().size(), Output::list, matches);
    run = matcher.run(text.on_device(), pattern, ends, repeats, work);
    result.found = ends.digest();
  }
  result.seconds = run.seconds;
  result.columns = {{"threads", std::to_string(run.chosen.blocks) + "x" + std::to_string(run.chosen.threads)},
                    {"memory", kTableMemories[static_cast<unsigned>(run.chosen.memory)]},
                    {"prepare_ms", number(run.prepare_seconds * 1e3)}};
  return result;
}
#endif

std::vector<Case> exact_cases(const Options& o, const Bench& bench, const std::vector<Algorithm>& algorithms,
                              const std::string& pattern) {
  const bool pinned = o.has("--pinned");
  const std::vector<unsigned> given = o.numbers("--streams");
  std::vector<std::optional<unsigned>> all_streams(given.begin(), given.end());
  if (all_streams.empty()) {
    all_streams.push_back(pinned ? std::optional(1u) : std::nullopt);
  }
  std::vector<Case> cases;
  const auto add = [&](unsigned threads, [[maybe_unused]] const std::string& memory,
                       const std::optional<unsigned>& streams, const Algorithm& algorithm) {
    const auto run = [=, &bench](SearchedText& text, [[maybe_unused]] std::uint64_t matches, unsigned repeats) {
#ifdef TRAWL_WITH_CUDA
      if (bench.on_device()) {
        return exact_on_device(algorithm, text, pattern, memory, streams, pinned, matches, repeats);
      }
#endif
      return exact_on_cpu(algorithm, text.characters(), pattern, used_threads(threads), repeats);
    };
    const Row columns = {{"streams", streams ? std::to_string(*streams) : "-"},
                         {"pinned", !streams ? "-"
                                    : pinned ? "yes"
                                             : "no"}};
    cases.push_back({columns, Output::list, run, algorithm});
  };
  for (const unsigned threads : bench.threads()) {
    for (const std::string& memory : o.words("--memory")) {
      for (const auto& streams : all_streams) {
        for (const Algorithm& algorithm : algorithms) {
          add(threads, memory, streams, algorithm);
        }
      }
    }
  }
  return cases;
}

void run_exact(const Options& o, ranks::Cluster&) {
  if (o.has("--list")) {
    return print_list(exact_algorithms());
  }
  Bench bench(o);
  const std::vector<Algorithm> algorithms = bench.chosen(exact_algorithms());
  run_cases("exact", o, bench, 0,
            [&](const Pattern& pattern) { return exact_cases(o, bench, algorithms, pattern.letters); });
}

// --- GBPR, cuShiftOr and WsPASM ---

using Settings = std::variant<matchers::GbprSettings, matchers::CuShiftOrSettings, matchers::PasmSettings>;

struct Paper {
  Row columns;
  Settings settings;  // as resolve() gives them
};

// All settings for a pattern; throws UsageError for those that are not possible.
using MakePapers = std::function<std::vector<Paper>(const Options&, const Pattern&)>;

std::vector<std::uint8_t> on_host(const std::string& text, const matchers::GbprSettings& s) {
  return matchers::gbpr_on_host(text, s);
}
std::vector<std::uint8_t> on_host(const std::string& text, const matchers::CuShiftOrSettings& s) {
  return matchers::cushiftor_on_host(text, s);
}
std::vector<std::uint8_t> on_host(const std::string& text, const matchers::PasmSettings& s) {
  constexpr std::size_t kStretch = 16;  // segments
  return s.variant == matchers::PasmVariant::pasm ? matchers::pasm_on_host(text, s.pattern, s.max_edits)
         : s.columns == 1                         ? matchers::wspasm_on_host<1>(text, s.pattern, s.max_edits, kStretch)
                                                  : matchers::wspasm_on_host(text, s.pattern, s.max_edits, kStretch);
}

#ifdef TRAWL_WITH_CUDA
std::vector<double> on_device(const gpu::DeviceText& text, const Settings& settings, gpu::DeviceEnds& ends,
                              unsigned repeats) {
  return std::visit(
      [&]<class S>(const S& s) {
        if constexpr (std::is_same_v<S, matchers::GbprSettings>) {
          return gpu::run_gbpr(text, s, ends, repeats);
        } else if constexpr (std::is_same_v<S, matchers::CuShiftOrSettings>) {
          return gpu::run_cushiftor(text, s, ends, repeats);
        } else {
          return gpu::run_pasm(text, s, ends, repeats);
        }
      },
      settings);
}
#endif

void run_papers(const std::string& name, const Options& o, const MakePapers& papers) {
  Bench bench(o);
  if (!bench.on_device() && o.words("--output") != std::vector<std::string>{"bytes"}) {
    throw UsageError("--output: on the CPU the result is bytes");
  }
  double copy = 0;
#ifdef TRAWL_WITH_CUDA
  if (bench.on_device()) {
    copy = gpu::copy_bandwidth(std::uint64_t{1} << 30);
    std::cerr << "trawl-bench: device-to-device copy " << number(copy / 1e12) << " TB/s, read plus written\n";
  }
#endif
  run_cases(name, o, bench, copy, [&](const Pattern& pattern) {
    std::vector<Case> cases;
    for (const Paper& paper : papers(o, pattern)) {
      for (const std::string& word : o.words("--output")) {
        const Output output = output_of(word);
        const auto run = [=, &bench](SearchedText& text, [[maybe_unused]] std::uint64_t matches, unsigned repeats) {
#ifdef TRAWL_WITH_CUDA
          if (bench.on_device()) {
            gpu::DeviceEnds ends(text.text().size(), output, matches);
            const auto seconds = on_device(text.on_device(), paper.settings, ends, repeats);
            return Result{ends.digest(), seconds};
          }
#endif
          std::vector<std::uint8_t> ends;
          const auto seconds = times(repeats, [&] {
            ends = std::visit([&](const auto& s) { return on_host(text.characters(), s); }, paper.settings);
          });
          return Result{digest_of(ends), seconds};
        };
        const Row columns = paper.columns + Row{{"output", word}};
        // Settings may become equal when what was left open is filled in.
        if (std::ranges::none_of(cases, [&](const Case& other) { return other.columns == columns; })) {
          cases.push_back({columns, output, run});
        }
      }
    }
    return cases;
  });
}

std::vector<Paper> gbpr_papers(const Options& o, const Pattern& pattern) {
  std::vector<Paper> papers;
  for (const unsigned alpha : o.numbers("--alpha")) {
    const auto s = matchers::resolve(matchers::GbprSettings{pattern.letters, pattern.max_edits, alpha});
    papers.push_back({{{"alpha", std::to_string(s.alpha)}}, s});
  }
  return papers;
}

std::vector<Paper> cushiftor_papers(const Options& o, const Pattern& pattern) {
  using enum matchers::Segments;
  std::vector<Paper> papers;
  for (const unsigned alpha : o.numbers("--alpha")) {
    for (const std::string& segments : o.words("--segments")) {
      const auto how = segments == "disjoint" ? disjoint : segments == "overlapping" ? overlapping : streamed;
      const auto s = matchers::resolve(matchers::CuShiftOrSettings{
          .pattern = pattern.letters, .max_edits = pattern.max_edits, .alpha = alpha, .segments = how});
      papers.push_back({{{"alpha", std::to_string(s.alpha)}, {"segments", segments}}, s});
    }
  }
  return papers;
}

std::vector<Paper> wspasm_papers(const Options& o, const Pattern& pattern) {
  using enum matchers::PasmVariant;
  std::vector<Paper> papers;
  for (const std::string& variant : o.words("--variant")) {
    for (const unsigned columns : o.numbers("--columns")) {
      const auto which = variant == "pasm" ? pasm : variant == "wspasm" ? wspasm : wspasm_shared;
      // --columns is for WsPASM; PASM has its own value.
      const auto s = matchers::resolve(
          matchers::PasmSettings{pattern.letters, pattern.max_edits, which, which == pasm ? 0 : columns});
      papers.push_back({{{"variant", variant}, {"columns", std::to_string(s.columns)}}, s});
    }
  }
  return papers;
}

// --- ASM ---

// Random letters of the text, so that the nearest substring is not an exact copy.
std::string drawn_pattern(const BenchText& text, unsigned m, std::uint64_t seed) {
  std::string pattern;
  for (std::uint64_t i = 0; i < m; ++i) {
    pattern += text.characters()[mixed(seed + (i + 1) * 0x9E3779B97F4A7C15u) % text.size()];
  }
  return pattern;
}

void run_nearest(BenchText& made, const Options& o, unsigned blocks, Bench& bench) {
  SearchedText text(made);
  const std::string& letters = made.characters();
  std::vector<matchers::AsmSettings> all;  // wrong ones are reported before anything runs
  for (const LengthRange& m : o.pattern_lengths()) {
    for (const unsigned parts : o.numbers("--parts")) {
      for (const unsigned rows : o.numbers("--rows")) {
        all.push_back(matchers::resolve(
            matchers::AsmSettings{drawn_pattern(made, m.longest, o.number("--seed") + 1), parts, rows}, letters.size(),
            blocks));
      }
    }
  }
  matchers::NearestSubstring expected;
  double sequential = 0;
  std::string pattern;
  for (const matchers::AsmSettings& settings : all) {
    if (settings.pattern != pattern) {
      pattern = settings.pattern;
      sequential = seconds_of([&] { expected = matchers::sequential_nearest(letters, pattern); });
    }
    const std::string who = "m = " + std::to_string(pattern.size());
    matchers::NearestSubstring found;
    std::vector<double> runs;
    if (!bench.on_device()) {
      runs = times(o.number("--repeats"), [&] { found = matchers::asm_on_host(letters, settings); });
    }
#ifdef TRAWL_WITH_CUDA
    if (bench.on_device()) {
      gpu::AsmRun run = gpu::run_asm_hmm(text.on_device(), settings, o.number("--repeats"));
      found = run.match;
      runs = std::move(run.seconds);
    }
#endif
    if (!(found == expected)) {
      throw Error(who + ": the result differs from the sequential program's; please report this");
    }
    const matchers::AsmParts parts = matchers::cut_in_parts(settings, letters.size());
    const double seconds = bench.median_of(who, runs);
    Row row = {{"m", std::to_string(pattern.size())},
               {"D", std::to_string(parts.parts)},
               {"rows", std::to_string(settings.rows_per_thread)},
               {"engine", bench.engine()},
               {"distance", std::to_string(found.distance)},
               {"begin", std::to_string(found.begin)},
               {"end", std::to_string(found.end)},
               {"ms", number(seconds * 1e3)},
               {"Gcells/s", number(static_cast<double>(parts.cells) / seconds / 1e9)}};
    if (o.has("--sequential")) {
      row.push_back({"x sequential", number(sequential / seconds)});
    }
    bench.add(row + text_columns(made));
  }
}

void run_asm(const Options& o, ranks::Cluster&) {
  Bench bench(o);
  unsigned blocks = 1;
#ifdef TRAWL_WITH_CUDA
  if (bench.on_device()) {
    blocks = gpu::usable_devices(1).front().multiprocessors;
  }
#endif
  for_each_text(o, true, [&](BenchText& text) { run_nearest(text, o, blocks, bench); });
  bench.finish();
}

Experiment paper_experiment(const std::string& name, const std::string& description, const std::string& options,
                            const std::string& example, const MakePapers& papers) {
  return {.name = name,
          .description = description,
          .options = "--sequential --max-edits " + options,
          .outputs = {"bytes", "bits", "list"},
          .defaults = {{"--made", "random"}},
          .footer =
              "The pattern is cut from the text. Columns of the table:\n"
              "  m, k             letters of the pattern, edits\n"
              "  ms, Gchar/s      median time of a run, and 10^9 characters per second\n"
              "  % of copy        bytes read and written per second, in percent of a plain copy on the GPU\n"
              "  n, text, letters length of the text, its name, and how many different letters it has\n"
              "Each result is compared with dynamic programming over the whole text before its time is printed. A\n"
              "random text has copies of the pattern with 0 to k + 1 edits.\n"
              "\n"
              "Example:\n"
              "  trawl-bench " +
              name + " " + example + "\n",
          .run = [=](const Options& o, ranks::Cluster&) { run_papers(name, o, papers); }};
}

Experiment exact_experiment() {
  return {
      .name = "exact",
      .description = "Exact matchers beside each other: all of CUSMART (Ozsoy et al. 2024) and faster ones",
      .options = "--list --algorithm --threads --memory --streams --pinned ",
      .outputs = {},
      .defaults = {{"--pattern-length", "8,64"}},
      .footer =
          "Each row of the table is one algorithm with a pattern of one length, which is cut from the text. Several\n"
          "values, separated by commas, give one row for each combination. The table is TSV. Its columns:\n"
          "  algorithm, m, k       the code (--list), the length of the pattern, and no edits\n"
          "  streams, pinned       with --streams or --pinned: the time has the copies from and to the GPU\n"
          "  engine, threads       cpu and its threads, or cuda and its blocks x threads of a block\n"
          "  matches               positions where a match ends\n"
          "  ms, Gchar/s           the median of --repeats runs, and 10^9 characters (bytes) of text in a second\n"
          "  memory, prepare_ms    where the algorithm's table lies on the GPU, and the time to make it\n"
          "  n, text, letters      length of the text, its name, and how many different letters it has\n"
          "All positions are compared with those of dynamic programming. A wrong result is an error.\n"
          "\n"
          "--list prints a line for each algorithm, with tabs between code, name, year, limits (what it does with\n"
          "patterns that its authors exclude) and title. Not of the 64 of CUSMART are epsm, memmem (the C library's),\n"
          "qgram, rare (CPU) and words (GPU; only in builds with CUDA).\n"
          "\n"
          "Examples:\n"
          "  trawl-bench exact -a bm,hor,kmp,epsm --made english -n 100000000 -m 3,10,50,200\n"
          "      Four algorithms on 100 MB of made English, four lengths each.\n"
          "  trawl-bench exact -a all --fasta genome.fa -m 20 --threads 1,0\n"
          "      All algorithms, on one thread and on all.\n"
          "  trawl-bench exact -a all --engine cuda --made protein -m 10 --streams 1,4 --pinned\n"
          "      With the text copied to the GPU in pieces, on one stream and on four.\n",
      .run = run_exact};
}

Experiment asm_experiment() {
  return {.name = "asm-hmm",
          .description = "Nearest substring by anti-diagonals (Man, Nakano and Ito 2013)",
          .options = "--parts --rows --sequential ",
          .outputs = {},
          .defaults = {{"--made", "random"}},
          .footer =
              "The pattern is made of random letters of the text. Columns of the table:\n"
              "  D, rows               parts of the text, and rows a thread\n"
              "  distance, begin, end  of the nearest substring\n"
              "  ms                    median time of a run, with the search for the place of the match\n"
              "  Gcells/s              10^9 cells of the table per second\n"
              "Each result is compared with that of the sequential program before its time is printed.\n"
              "\n"
              "Example:\n"
              "  trawl-bench asm-hmm -n 4194304 -m 32,256,1024 --parts 0,512\n",
          .run = run_asm};
}

}  // namespace

std::vector<Experiment> pattern_experiments() {
  return {
      exact_experiment(),
      paper_experiment("gbpr", "cuShiftOr's baseline: columns of bits, 8 characters a thread", "--alpha ",
                       "-n 268435456 -m 8,32 -k 0,1", gbpr_papers),
      paper_experiment("cushiftor", "Exact and approximate matching by inclusive scan (Mitani, Ino and Hagihara 2017)",
                       "--alpha --segments ", "-n 1073741824 -m 16,24,32 -k 0,1,2", cushiftor_papers),
      paper_experiment("wspasm", "Edit distance by rows with warp shuffles (Ho, Oh and Kim 2017)",
                       "--variant --columns ", "--text genome.txt -m 64 -k 3 --variant pasm,wspasm,wspasm-shared",
                       wspasm_papers),
      asm_experiment()};
}

}  // namespace trawl::lab
