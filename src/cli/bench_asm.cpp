// asm-hmm: the substring of the text that is nearest to the pattern.
#include <algorithm>
#include <chrono>
#include <iostream>

#include "cli/bench_engine.hpp"
#include "cli/bench_experiments.hpp"
#include "cli/bench_table.hpp"
#include "cli/bench_text.hpp"
#include "error.hpp"
#include "match/sequential.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/asm_hmm.hpp"
#endif

namespace trawl::cli {

namespace {

struct AsmOutcome {
  match::NearestSubstring match;
  double seconds = 0;
  unsigned parts = 1;
  unsigned rows = 1;
  double cells = 0;
};

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The CPU twin: the parts one after the other, each a table of its own.
AsmOutcome run_twin(const std::string& text, const std::string& pattern, unsigned parts) {
  const std::size_t m = pattern.size();
  parts = std::max(1u, parts);
  const std::size_t step = std::max<std::size_t>(1, (text.size() + parts - 1) / parts);
  const auto begin = std::chrono::steady_clock::now();
  AsmOutcome outcome;
  outcome.match.distance = static_cast<unsigned>(m) + 1;
  outcome.parts = 0;
  for (std::size_t first = 0; first < text.size(); first += step) {
    const std::string_view part = std::string_view(text).substr(first, step + 2 * m);
    auto found = match::sequential_nearest(part, pattern);
    found.begin += first;
    found.end += first;
    if (found.distance < outcome.match.distance) {
      outcome.match = found;
    }
    ++outcome.parts;
    outcome.cells += static_cast<double>(part.size()) * static_cast<double>(m);
  }
  outcome.seconds = since(begin);
  return outcome;
}

AsmOutcome run(const BenchText& text, const std::string& pattern, unsigned parts, [[maybe_unused]] unsigned rows,
               [[maybe_unused]] unsigned repeats, [[maybe_unused]] const std::string& engine) {
#ifdef TRAWL_WITH_CUDA
  if (engine == "cuda") {
    const gpu::DeviceText on_device(text.read(0, text.size()));
    auto result = gpu::run_asm_hmm(on_device, {pattern, parts, rows}, repeats);
    std::sort(result.seconds.begin(), result.seconds.end());
    return {{result.match.distance, result.match.begin, result.match.end},
            result.seconds[result.seconds.size() / 2],
            result.parts,
            result.rows_per_thread,
            static_cast<double>(result.cells)};
  }
#endif
  return run_twin(text.read(0, text.size()), pattern, parts);
}

// All rows of one text.
void run_text(const BenchText& text, unsigned sigma, const BenchArguments& a, const std::string& engine,
              BenchTable& table) {
  const std::string letters = text.read(0, text.size());
  const auto lengths =
      a.pattern.empty() ? a.pattern_lengths : std::vector<unsigned>{static_cast<unsigned>(a.pattern.size())};
  for (const unsigned m : lengths) {
    // Random like the text, so that the nearest substring is no exact copy.
    const std::string pattern = a.pattern.empty() ? BenchText(m, sigma, a.seed + 1).read(0, m) : a.pattern;
    const auto begin = std::chrono::steady_clock::now();
    const auto expected = match::sequential_nearest(letters, pattern);
    const double sequential = since(begin);
    for (const unsigned parts : a.parts) {
      for (const unsigned rows : a.rows) {
        const AsmOutcome outcome = run(text, pattern, parts, rows, a.repeats, engine);
        if (!(outcome.match == expected)) {
          throw Error("the result differs from the sequential program's; please report this");
        }
        table.add({{"n", std::to_string(text.size())},
                   {"m", std::to_string(m)},
                   {"D", std::to_string(outcome.parts)},
                   {"rows", std::to_string(outcome.rows)},
                   {"engine", engine},
                   {"distance", std::to_string(outcome.match.distance)},
                   {"begin", std::to_string(outcome.match.begin)},
                   {"end", std::to_string(outcome.match.end)},
                   {"ms", number(outcome.seconds * 1e3)},
                   {"Gcells/s", number(outcome.cells / outcome.seconds / 1e9)},
                   {"sequential ms", number(sequential * 1e3)},
                   {"x sequential", number(sequential / outcome.seconds)}},
                  std::cout);
      }
    }
  }
}

}  // namespace

void bench_asm_hmm(const BenchArguments& a) {
  const std::string engine = choose_bench_engine(a.engine);
  for (const unsigned m : a.pattern_lengths) {
    if (m == 0) {
      throw UsageError("-m 0: the pattern has at least one character");
    }
  }
  BenchTable table;
  if (a.text.empty()) {
    for (const std::uint64_t length : a.lengths) {
      for (const unsigned sigma : a.sigma) {
        run_text(BenchText(length, sigma, a.seed), sigma, a, engine, table);
      }
    }
  } else {
    run_text(BenchText(a.text), 4, a, engine, table);
  }
  if (!a.tsv.empty()) {
    table.write_tsv(a.tsv);
  }
}

}  // namespace trawl::cli
