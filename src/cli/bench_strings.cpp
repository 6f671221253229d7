// cushiftor, gbpr, wspasm: the experiments whose result is, for every text position, whether a match ends there.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/bench_engine.hpp"
#include "cli/bench_experiments.hpp"
#include "cli/bench_points.hpp"
#include "cli/bench_table.hpp"
#include "cli/bench_text.hpp"
#include "error.hpp"
#include "match/cascade_variants.hpp"
#include "match/row_by_row.hpp"
#include "match/rows_on_host.hpp"
#include "match/segmented_columns.hpp"
#include "match/sequential.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/cushiftor.hpp"
#include "gpu/gbpr.hpp"
#include "gpu/wspasm.hpp"
#endif

namespace trawl::cli {

namespace {

// Positions compared with plain dynamic programming at each of several places of the text.
constexpr std::uint64_t kCheckedPositions = std::uint64_t{1} << 18;

// Positions that the sequential program is timed on.
constexpr std::uint64_t kSequentialPositions = std::uint64_t{1} << 24;
// Segments that a warp of WsPASM's twin takes.
constexpr std::size_t kTwinStretch = 16;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Outcome {
  std::vector<double> seconds;
  std::function<std::vector<std::uint8_t>(std::uint64_t first, std::uint64_t count)> ends;
  std::uint64_t found = 0;
};

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What an algorithm must say: its columns in the table, and its two ways to run.
struct Algorithm {
  std::function<BenchTable::Row(Point&)> parameters;  // also fills in what was left to choose
  std::function<std::vector<std::uint8_t>(const std::string& text, const Point&)> twin;
#ifdef TRAWL_WITH_CUDA
  std::function<std::vector<double>(const gpu::DeviceText&, const Point&, gpu::DeviceEnds&, unsigned repeats)> device;
#endif
};

// Throws Error where the result differs from plain dynamic programming.
void check_outcome(const BenchText& text, const Point& point, const Outcome& outcome) {
  const std::uint64_t reach = point.pattern.size() + point.max_edits;
  const std::uint64_t last = text.size() > kCheckedPositions ? text.size() - kCheckedPositions : 0;
  for (const std::uint64_t first : {std::uint64_t{0}, last / 2, last}) {
    const std::uint64_t count = std::min(kCheckedPositions, text.size() - first);
    const std::uint64_t begin = first > reach ? first - reach : 0;
    const auto expected =
        match::sequential_ends(text.read(begin, first - begin + count), point.pattern, point.max_edits);
    const auto found = outcome.ends(first, count);
    if (!std::equal(found.begin(), found.end(), expected.begin() + static_cast<std::ptrdiff_t>(first - begin))) {
      throw Error("the result differs from plain dynamic programming near position " + std::to_string(first) +
                  "; please report this");
    }
  }
}

std::string cut_pattern(const BenchText& text, unsigned m, unsigned max_edits) {
  if (m == 0 || m > text.size()) {
    throw UsageError("-m " + std::to_string(m) + ": the pattern has 1 to as many characters as the text");
  }
  std::string pattern = text.read((text.size() - m) / 3, m);
  for (unsigned k = 0; k < max_edits && k < m; ++k) {
    pattern[(2 * k + 1) * m / (2 * max_edits)] = pattern[0];
  }
  return pattern;
}

#ifdef TRAWL_WITH_CUDA
gpu::Output output_of(const std::string& name) {
  return name == "bits" ? gpu::Output::bits : name == "list" ? gpu::Output::list : gpu::Output::bytes;
}
#endif

// One text, on the host and where the engine needs it.
class Experiment {
 public:
  Experiment(const Algorithm& algorithm, const BenchArguments& arguments, const std::string& engine, BenchText text)
      : algorithm_(algorithm), arguments_(arguments), engine_(engine), text_(std::move(text)) {
#ifdef TRAWL_WITH_CUDA
    if (engine == "cuda") {
      text_.is_made() ? on_device_.emplace(text_.size(), text_.alphabet(), text_.seed())
                      : on_device_.emplace(text_.read(0, text_.size()));
      return;
    }
#endif
    letters_ = text_.read(0, text_.size());
  }

  /// Runs and checks one point; `copy` is the device's copy bandwidth.
  BenchTable::Row run(Point point, double copy) const {
    if (point.pattern.empty()) {
      point.pattern = cut_pattern(text_, point.pattern_length, point.max_edits);
    }
    BenchTable::Row row = {{"n", std::to_string(text_.size())},
                           {"sigma", text_.is_made() ? std::to_string(text_.alphabet().size()) : "file"},
                           {"m", std::to_string(point.pattern.size())},
                           {"k", std::to_string(point.max_edits)}};
    const auto parameters = algorithm_.parameters(point);
    row.insert(row.end(), parameters.begin(), parameters.end());
    const Outcome outcome = engine_ == "cuda" ? on_device(point) : on_host(point);
    check_outcome(text_, point, outcome);
    const double seconds = median(outcome.seconds);
    const auto n = static_cast<double>(text_.size());
    row.insert(row.end(), {{"engine", engine_},
                           {"matches", std::to_string(outcome.found)},
                           {"ms", number(seconds * 1e3)},
                           {"Gchar/s", number(n / seconds / 1e9)},
                           {"Tbps", number(8 * n / seconds / 1e12)}});
    if (engine_ == "cuda") {
      const double written = point.output == "bits" ? n / 8 : point.output == "bytes" ? n : 0.0;
      row.push_back({"% of copy", number(100 * (n + written) / seconds / copy, 3)});
    }
    if (arguments_.sequential) {
      const std::string some = text_.read(0, std::min(text_.size(), kSequentialPositions));
      const double rate = static_cast<double>(some.size()) /
                          seconds_of([&] { match::sequential_ends(some, point.pattern, point.max_edits); });
      row.push_back({"x sequential", number(n / seconds / rate)});
    }
    return row;
  }

 private:
  Outcome on_device([[maybe_unused]] const Point& point) const {
    Outcome outcome;
#ifdef TRAWL_WITH_CUDA
    auto ends = std::make_shared<gpu::DeviceEnds>(text_.size(), output_of(point.output), text_.size() / 64 + 1024);
    outcome.seconds = algorithm_.device(*on_device_, point, *ends, arguments_.repeats);
    outcome.ends = [ends](std::uint64_t first, std::uint64_t count) { return ends->fetch(first, count); };
    outcome.found = ends->count();
#endif
    return outcome;
  }

  Outcome on_host(const Point& point) const {
    Outcome outcome;
    auto ends = std::make_shared<std::vector<std::uint8_t>>();
    for (unsigned r = 0; r < arguments_.repeats; ++r) {
      outcome.seconds.push_back(seconds_of([&] { *ends = algorithm_.twin(letters_, point); }));
    }
    outcome.ends = [ends](std::uint64_t first, std::uint64_t count) {
      const auto begin = ends->begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    outcome.found = static_cast<std::uint64_t>(std::count(ends->begin(), ends->end(), 1));
    return outcome;
  }

  const Algorithm& algorithm_;
  const BenchArguments& arguments_;
  std::string engine_;
  BenchText text_;
  std::string letters_;
#ifdef TRAWL_WITH_CUDA
  std::optional<gpu::DeviceText> on_device_;
#endif
};

void run_experiment(const Algorithm& algorithm, const BenchArguments& a) {
  const std::string engine = choose_bench_engine(a.engine);
  double copy = 0;
#ifdef TRAWL_WITH_CUDA
  if (engine == "cuda") {
    copy = gpu::copy_bandwidth(std::uint64_t{1} << 30);
    std::cerr << "trawl bench: device-to-device copy " << number(copy / 1e12) << " TB/s, read plus written\n";
  }
#endif
  BenchTable table;
  const auto run_text = [&](BenchText text) {
    const Experiment experiment(algorithm, a, engine, std::move(text));
    for (const Point& point : all_points(a)) {
      table.add(experiment.run(point, copy), std::cout);
    }
  };
  if (a.text.empty()) {
    for (const std::uint64_t length : a.lengths) {
      for (const unsigned sigma : a.sigma) {
        run_text(BenchText(length, sigma, a.seed));
      }
    }
  } else {
    run_text(BenchText(a.text));
  }
  if (!a.tsv.empty()) {
    table.write_tsv(a.tsv);
  }
}

}  // namespace

void bench_cushiftor(const BenchArguments& arguments) {
  Algorithm algorithm;
  algorithm.parameters = [](Point& point) -> BenchTable::Row {
    const auto s = point.cushiftor();
    return {{"word", std::to_string(s.word_bits)},
            {"alpha", std::to_string(s.alpha)},
            {"segments", point.segments},
            {"wildcards", s.wildcards ? "yes" : "no"},
            {"output", point.output}};
  };
  algorithm.twin = [](const std::string& text, const Point& point) {
    const auto s = point.cushiftor();
    return match::cascade_on_host(text, s.pattern, s.word_bits, s.alpha, s.max_edits, s.wildcards, s.segments);
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const gpu::DeviceText& text, const Point& point, gpu::DeviceEnds& ends, unsigned repeats) {
    return gpu::run_cushiftor(text, point.cushiftor(), ends, repeats);
  };
#endif
  run_experiment(algorithm, arguments);
}

void bench_gbpr(const BenchArguments& arguments) {
  Algorithm algorithm;
  algorithm.parameters = [](Point& point) -> BenchTable::Row {
    point.alpha = point.alpha == 0 ? 1 : point.alpha;
    if (point.pattern.size() > 64 || point.max_edits > 8) {
      throw UsageError("GBPR takes a pattern of 1 to 64 characters and 0 to 8 edits");
    }
    return {{"alpha", std::to_string(point.alpha)}, {"output", point.output}};
  };
  algorithm.twin = [](const std::string& text, const Point& point) {
    return match::segmented_ends(text, point.pattern, point.max_edits);
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const gpu::DeviceText& text, const Point& point, gpu::DeviceEnds& ends, unsigned repeats) {
    return gpu::run_gbpr(text, {point.pattern, point.max_edits, point.alpha}, ends, repeats);
  };
#endif
  run_experiment(algorithm, arguments);
}

void bench_wspasm(const BenchArguments& arguments) {
  Algorithm algorithm;
  algorithm.parameters = [](Point& point) -> BenchTable::Row {
    return {{"variant", point.variant}, {"output", point.output}};
  };
  algorithm.twin = [](const std::string& text, const Point& point) {
    return point.variant == "pasm" ? match::row_by_row_ends(text, point.pattern, point.max_edits)
                                   : match::rows_on_host(text, point.pattern, point.max_edits, kTwinStretch);
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const gpu::DeviceText& text, const Point& point, gpu::DeviceEnds& ends, unsigned repeats) {
    const auto variant = point.variant == "pasm"     ? gpu::PasmVariant::pasm
                         : point.variant == "wspasm" ? gpu::PasmVariant::wspasm
                                                     : gpu::PasmVariant::wspasm_shared;
    return gpu::run_pasm(text, {point.pattern, point.max_edits, variant}, ends, repeats);
  };
#endif
  run_experiment(algorithm, arguments);
}

}  // namespace trawl::cli
