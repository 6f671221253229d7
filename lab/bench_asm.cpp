// asm-hmm: finds the substring of the text that is nearest to the pattern.
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_clock.hpp"
#include "lab/bench_engine.hpp"
#include "lab/bench_experiments.hpp"
#include "lab/bench_points.hpp"
#include "lab/bench_table.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/asm_on_host.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/asm_hmm.hpp"
#endif

namespace trawl::lab {

namespace {

// Up to this many cells, the sequential program checks the result over the whole text; above, it checks windows of the
// text.
constexpr double kWholeCells = 8e9;

struct AsmOutcome {
  matchers::NearestSubstring match;
  std::vector<double> seconds;
};

using Runner = std::function<AsmOutcome(const matchers::AsmSettings&)>;

// Runs on the engine and keeps the text there.
Runner make_runner(const std::string& letters, unsigned repeats, [[maybe_unused]] const std::string& engine) {
#ifdef TRAWL_WITH_CUDA
  if (engine == "cuda") {
    const auto text = std::make_shared<gpu::DeviceText>(letters);
    return [text, repeats](const matchers::AsmSettings& settings) -> AsmOutcome {
      auto run = gpu::run_asm_hmm(*text, settings, repeats);
      return {run.match, std::move(run.seconds)};
    };
  }
#endif
  return [&letters, repeats](const matchers::AsmSettings& settings) {
    AsmOutcome outcome;
    for (unsigned r = 0; r < repeats; ++r) {
      outcome.seconds.push_back(seconds_of([&] { outcome.match = matchers::asm_on_host(letters, settings); }));
    }
    return outcome;
  };
}

// Random letters of the text, so that the nearest substring is not an exact copy.
std::string drawn_pattern(const BenchText& text, unsigned m, std::uint64_t seed) {
  std::string pattern;
  for (std::uint64_t i = 0; i < m; ++i) {
    pattern += text.read(mixed(seed + (i + 1) * 0x9E3779B97F4A7C15u) % text.size(), 1);
  }
  return pattern;
}

// Computes all settings for one text, pattern by pattern, before any of them runs.
std::vector<std::vector<matchers::AsmSettings>> all_settings(const BenchText& text, const BenchArguments& a,
                                                             unsigned blocks) {
  std::vector<std::string> patterns;
  if (!a.pattern.empty()) {
    patterns.push_back(a.pattern);
  } else {
    for (const unsigned m : a.pattern_lengths) {
      patterns.push_back(drawn_pattern(text, m, a.seed + 1));
    }
  }
  std::vector<std::vector<matchers::AsmSettings>> all;
  for (const std::string& pattern : patterns) {
    all.emplace_back();
    for (const unsigned parts : a.parts) {
      for (const unsigned rows : a.rows) {
        all.back().push_back(matchers::resolve(matchers::AsmSettings{pattern, parts, rows}, text.size(), blocks));
      }
    }
  }
  return all;
}

// Makes all rows for one text.
void run_text(const BenchText& text, const std::vector<std::vector<matchers::AsmSettings>>& all,
              const BenchArguments& a, const std::string& engine, BenchTable& table) {
  const std::string letters = text.read(0, text.size());
  const Runner run = make_runner(letters, a.repeats, engine);
  for (const auto& of_pattern : all) {
    const std::string& pattern = of_pattern.front().pattern;
    const bool whole =
        a.sequential || static_cast<double>(letters.size()) * static_cast<double>(pattern.size()) <= kWholeCells;
    matchers::NearestSubstring expected;
    const double sequential =
        whole ? seconds_of([&] { expected = matchers::sequential_nearest(letters, pattern); }) : 0.0;
    for (const matchers::AsmSettings& settings : of_pattern) {
      const AsmOutcome outcome = run(settings);
      if (!whole) {
        check_nearest(text, pattern, outcome.match);
      } else if (!(outcome.match == expected)) {
        throw Error("the result differs from the sequential program's; please report this");
      }
      const matchers::AsmParts parts = matchers::cut_in_parts(settings, text.size());
      const double seconds = median(outcome.seconds);
      BenchTable::Row row = {{"n", std::to_string(text.size())},
                             {"m", std::to_string(pattern.size())},
                             {"D", std::to_string(parts.parts)},
                             {"rows", std::to_string(settings.rows_per_thread)},
                             {"engine", engine},
                             {"distance", std::to_string(outcome.match.distance)},
                             {"begin", std::to_string(outcome.match.begin)},
                             {"end", std::to_string(outcome.match.end)},
                             {"ms", number(seconds * 1e3)},
                             {"Gcells/s", number(static_cast<double>(parts.cells) / seconds / 1e9)}};
      if (a.sequential) {
        row.push_back({"sequential ms", number(sequential * 1e3)});
        row.push_back({"x sequential", number(sequential / seconds)});
      }
      table.add(row, std::cout);
    }
  }
}

void run_asm_hmm(const BenchArguments& a) {
  const std::string engine = choose_bench_engine(a.engine);
  unsigned blocks = 1;
#ifdef TRAWL_WITH_CUDA
  if (engine == "cuda") {
    blocks = gpu::usable_devices(1).front().multiprocessors;
  }
#endif
  // Report all wrong settings before anything runs.
  check_bench_output(a);
  const auto texts = bench_texts(a);
  std::vector<std::vector<std::vector<matchers::AsmSettings>>> settings;
  settings.reserve(texts.size());
  for (const BenchText& text : texts) {
    settings.push_back(all_settings(text, a, blocks));
  }
  BenchTable table;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    run_text(texts[t], settings[t], a, engine, table);
  }
  if (!a.tsv.empty()) {
    table.write_tsv(a.tsv);
  }
}

}  // namespace

BenchEntry asm_hmm_entry() {
  return {.name = "asm-hmm",
          .description = "Nearest substring by anti-diagonals (Man, Nakano and Ito 2013)",
          .options = kBytes | kParts,
          .alpha_help = "",
          .example = "trawl-bench asm-hmm -n 4194304 -m 32,256,1024 --parts 0,512",
          .run = run_asm_hmm};
}

}  // namespace trawl::lab
