// asm-hmm: finds the substring of the text that is nearest to the pattern.
#include <functional>
#include <memory>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_options.hpp"
#include "lab/bench_runner.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/asm_diagonal.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/paper_kernels.hpp"
#endif

namespace trawl::lab {

namespace {

// Up to this many cells, the sequential program checks the result over the whole text; above, it checks windows of the
// text.
constexpr double kWholeCells = 8e9;

struct Nearest {
  matchers::NearestSubstring match;
  std::vector<double> seconds;
};

using NearestSearch = std::function<Nearest(const matchers::AsmSettings&)>;

// Runs on the engine and keeps the text there.
NearestSearch nearest_search(const std::string& letters, unsigned repeats, [[maybe_unused]] bool on_device) {
#ifdef TRAWL_WITH_CUDA
  if (on_device) {
    const auto text = std::make_shared<gpu::DeviceText>(letters);
    return [text, repeats](const matchers::AsmSettings& settings) -> Nearest {
      auto run = gpu::run_asm_hmm(*text, settings, repeats);
      return {run.match, std::move(run.seconds)};
    };
  }
#endif
  return [&letters, repeats](const matchers::AsmSettings& settings) {
    Nearest nearest;
    nearest.seconds = times(repeats, [&] { nearest.match = matchers::asm_on_host(letters, settings); });
    return nearest;
  };
}

// Random letters of the text, so that the nearest substring is not an exact copy.
std::string drawn_pattern(const BenchText& text, unsigned m, std::uint64_t seed) {
  std::string pattern;
  for (std::uint64_t i = 0; i < m; ++i) {
    pattern += text.characters().substr(mixed(seed + (i + 1) * 0x9E3779B97F4A7C15u) % text.size(), 1);
  }
  return pattern;
}

// All settings for one text, pattern by pattern.
std::vector<std::vector<matchers::AsmSettings>> asm_settings(const BenchText& text, const Options& o, unsigned blocks) {
  std::vector<std::vector<matchers::AsmSettings>> all;
  for (const LengthRange& m : o.pattern_lengths) {
    const std::string pattern = o.pattern.empty() ? drawn_pattern(text, m.longest, o.seed + 1) : o.pattern;
    all.emplace_back();
    for (const unsigned parts : o.parts) {
      for (const unsigned rows : o.rows) {
        all.back().push_back(matchers::resolve(matchers::AsmSettings{pattern, parts, rows}, text.size(), blocks));
      }
    }
  }
  return all;
}

// Makes all rows for one text and pattern.
void run_nearest(const BenchText& text, const std::vector<matchers::AsmSettings>& all, const NearestSearch& search,
                 const Options& o, Bench& bench) {
  const std::string& letters = text.characters();
  const std::string& pattern = all.front().pattern;
  const bool whole =
      o.sequential || static_cast<double>(letters.size()) * static_cast<double>(pattern.size()) <= kWholeCells;
  matchers::NearestSubstring expected;
  const double sequential = whole ? seconds_of([&] { expected = matchers::sequential_nearest(letters, pattern); }) : 0;
  for (const matchers::AsmSettings& settings : all) {
    const Nearest nearest = search(settings);
    if (!whole) {
      check_nearest(text, pattern, nearest.match);
    } else if (!(nearest.match == expected)) {
      throw Error("the result differs from the sequential program's; please report this");
    }
    const matchers::AsmParts parts = matchers::cut_in_parts(settings, text.size());
    const double seconds = bench.median_of("m = " + std::to_string(pattern.size()), nearest.seconds);
    Bench::Row row = {{"n", std::to_string(text.size())},
                      {"m", std::to_string(pattern.size())},
                      {"D", std::to_string(parts.parts)},
                      {"rows", std::to_string(settings.rows_per_thread)},
                      {"engine", bench.engine()},
                      {"distance", std::to_string(nearest.match.distance)},
                      {"begin", std::to_string(nearest.match.begin)},
                      {"end", std::to_string(nearest.match.end)},
                      {"ms", number(seconds * 1e3)},
                      {"Gcells/s", number(static_cast<double>(parts.cells) / seconds / 1e9)}};
    if (o.sequential) {
      row.push_back({"sequential ms", number(sequential * 1e3)});
      row.push_back({"x sequential", number(sequential / seconds)});
    }
    bench.add(row);
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
  // Wrong settings are reported before anything runs.
  for_each_text(o, true, [&](const BenchText& text) { (void)asm_settings(text, o, blocks); });
  for_each_text(o, true, [&](const BenchText& text) {
    const NearestSearch search = nearest_search(text.characters(), o.repeats, bench.on_device());
    for (const auto& of_pattern : asm_settings(text, o, blocks)) {
      run_nearest(text, of_pattern, search, o, bench);
    }
  });
  bench.finish();
}

}  // namespace

Experiment asm_experiment() {
  return {.name = "asm-hmm",
          .description = "Nearest substring by anti-diagonals (Man, Nakano and Ito 2013)",
          .options = "--pattern --parts --rows --sequential ",
          .outputs = {},
          .defaults = {.made = "random"},
          .footer =
              "The pattern is made of random letters of the text. Columns of the table:\n"
              "  D, rows               parts of the text, and rows a thread\n"
              "  distance, begin, end  of the nearest substring\n"
              "  ms                    median time of a run, with the search for the place of the match\n"
              "  Gcells/s              10^9 cells of the table per second\n"
              "Each result is compared with that of the sequential program before its time is printed; above\n"
              "8 * 10^9 cells without --sequential, in some windows of the text.\n"
              "\n"
              "Example:\n"
              "  trawl-bench asm-hmm -n 4194304 -m 32,256,1024 --parts 0,512\n",
          .run = run_asm};
}

}  // namespace trawl::lab
