// asm-hmm: finds the substring of the text that is nearest to the pattern.
#include <optional>

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

// Random letters of the text, so that the nearest substring is not an exact copy.
std::string drawn_pattern(const BenchText& text, unsigned m, std::uint64_t seed) {
  std::string pattern;
  for (std::uint64_t i = 0; i < m; ++i) {
    pattern += text.characters().substr(mixed(seed + (i + 1) * 0x9E3779B97F4A7C15u) % text.size(), 1);
  }
  return pattern;
}

// All settings for one text, pattern by pattern.
std::vector<matchers::AsmSettings> asm_settings(const BenchText& text, const Options& o, unsigned blocks) {
  std::vector<matchers::AsmSettings> all;
  for (const LengthRange& m : o.pattern_lengths) {
    const std::string pattern = o.pattern.empty() ? drawn_pattern(text, m.longest, o.seed + 1) : o.pattern;
    for (const unsigned parts : o.parts) {
      for (const unsigned rows : o.rows) {
        all.push_back(matchers::resolve(matchers::AsmSettings{pattern, parts, rows}, text.size(), blocks));
      }
    }
  }
  return all;
}

void run_nearest(const BenchText& text, const Options& o, unsigned blocks, Bench& bench) {
  const std::string& letters = text.characters();
  const auto all = asm_settings(text, o, blocks);  // wrong ones are reported before anything runs
#ifdef TRAWL_WITH_CUDA
  std::optional<gpu::DeviceText> on_device;
  if (bench.on_device()) {
    on_device.emplace(letters);
  }
#endif
  matchers::NearestSubstring expected;
  double sequential = 0;
  std::string pattern;
  for (const matchers::AsmSettings& settings : all) {
    const bool whole =
        o.sequential ||
        static_cast<double>(letters.size()) * static_cast<double>(settings.pattern.size()) <= kWholeCells;
    if (whole && settings.pattern != pattern) {
      sequential = seconds_of([&] { expected = matchers::sequential_nearest(letters, settings.pattern); });
    }
    pattern = settings.pattern;
    matchers::NearestSubstring found;
    std::vector<double> runs;
    if (!bench.on_device()) {
      runs = times(o.repeats, [&] { found = matchers::asm_on_host(letters, settings); });
    }
#ifdef TRAWL_WITH_CUDA
    if (on_device) {
      gpu::AsmRun run = gpu::run_asm_hmm(*on_device, settings, o.repeats);
      found = run.match;
      runs = std::move(run.seconds);
    }
#endif
    if (!whole) {
      check_nearest(text, pattern, found);
    } else if (!(found == expected)) {
      throw Error("the result differs from the sequential program's; please report this");
    }
    const matchers::AsmParts parts = matchers::cut_in_parts(settings, text.size());
    const double seconds = bench.median_of("m = " + std::to_string(pattern.size()), runs);
    Bench::Row row = {{"n", std::to_string(text.size())},
                      {"m", std::to_string(pattern.size())},
                      {"D", std::to_string(parts.parts)},
                      {"rows", std::to_string(settings.rows_per_thread)},
                      {"engine", bench.engine()},
                      {"distance", std::to_string(found.distance)},
                      {"begin", std::to_string(found.begin)},
                      {"end", std::to_string(found.end)},
                      {"ms", number(seconds * 1e3)},
                      {"Gcells/s", number(static_cast<double>(parts.cells) / seconds / 1e9)}};
    if (o.sequential) {
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
  for_each_text(o, true, [&](const BenchText& text) { run_nearest(text, o, blocks, bench); });
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
