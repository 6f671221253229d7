#include "lab/bench_experiment.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_clock.hpp"
#include "lab/bench_engine.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/sequential.hpp"

namespace trawl::lab {

namespace {

// The time of the sequential program is measured on this many positions.
constexpr std::uint64_t kSequentialPositions = std::uint64_t{1} << 24;

struct Outcome {
  std::vector<double> seconds;
  FetchEnds ends;
  std::uint64_t found = 0;
};

// A point that can be run, with its columns in the table.
struct Prepared {
  Point point;
  BenchTable::Row parameters;
};

std::vector<Prepared> prepare(const Algorithm& algorithm, const BenchArguments& a, const BenchText& text) {
  std::vector<Prepared> prepared;
  for (Point point : all_points(a)) {
    if (point.pattern.empty()) {
      point.pattern = cut_pattern(text, point.pattern_length, point.max_edits);
    } else if (point.pattern.size() > text.size()) {
      throw UsageError("--pattern: it is longer than the text");
    }
    auto row = algorithm.parameters(point);
    // Two points may become equal when open settings are filled in.
    const bool known = std::any_of(prepared.begin(), prepared.end(), [&](const Prepared& other) {
      return other.parameters == row && other.point.pattern == point.pattern &&
             other.point.max_edits == point.max_edits;
    });
    if (!known) {
      prepared.push_back({std::move(point), std::move(row)});
    }
  }
  return prepared;
}

// One text, in the memory of the host or of the device, as the engine needs it.
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

  /// Runs and checks one point; `copy` is the copy bandwidth of the device.
  BenchTable::Row run(const Prepared& prepared, double copy) {
    const Point& point = prepared.point;
    if (text_.is_made()) {
      plant(plants_for(text_, point.pattern, point.max_edits));
    }
    BenchTable::Row row = {{"n", std::to_string(text_.size())},
                           {"sigma", text_.is_made() ? std::to_string(text_.alphabet().size()) : "file"},
                           {"m", std::to_string(point.pattern.size())},
                           {"k", std::to_string(point.max_edits)}};
    row.insert(row.end(), prepared.parameters.begin(), prepared.parameters.end());
    const Outcome outcome = engine_ == "cuda" ? on_device(point) : on_host(point);
    check_ends(text_, point.pattern, point.max_edits, outcome.ends);
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
                          seconds_of([&] { matchers::sequential_ends(some, point.pattern, point.max_edits); });
      row.push_back({"x sequential", number(n / seconds / rate)});
    }
    return row;
  }

 private:
  // Replaces the copies planted before. The text is on the host or on the device.
  void plant(std::vector<Plant> plants) {
    std::vector<Plant> changed = text_.plants();
    changed.insert(changed.end(), plants.begin(), plants.end());
    text_.plant(std::move(plants));
    for (const Plant& plant : changed) {
      const std::string letters = text_.read(plant.position, plant.letters.size());
#ifdef TRAWL_WITH_CUDA
      if (on_device_) {
        on_device_->write(plant.position, letters);
        continue;
      }
#endif
      letters_.replace(plant.position, letters.size(), letters);
    }
  }

  Outcome on_device([[maybe_unused]] const Point& point) const {
    Outcome outcome;
#ifdef TRAWL_WITH_CUDA
    const auto output = point.output == "bits"   ? gpu::Output::bits
                        : point.output == "list" ? gpu::Output::list
                                                 : gpu::Output::bytes;
    const std::uint64_t room = text_.size() / 64 + 1024;
    auto ends = std::make_shared<gpu::DeviceEnds>(text_.size(), output, room);
    outcome.seconds = algorithm_.device(*on_device_, point, *ends, arguments_.repeats);
    if (output == gpu::Output::list && ends->count() > room) {
      ends = std::make_shared<gpu::DeviceEnds>(text_.size(), output, ends->count());
      outcome.seconds = algorithm_.device(*on_device_, point, *ends, arguments_.repeats);
    }
    gpu::DeviceEnds others(text_.size(), gpu::Output::bits);
    const bool has_other = algorithm_.other(*on_device_, point, others);
    const auto digest = ends->digest();
    if (has_other && !(digest == others.digest())) {
      throw Error("the matches, " + std::to_string(digest.count) + ", are not those of another algorithm, " +
                  std::to_string(others.digest().count) + "; please report this");
    }
    outcome.ends = [ends](std::uint64_t first, std::uint64_t count) { return ends->fetch(first, count); };
    outcome.found = digest.count;
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

}  // namespace

void run_experiment(const Algorithm& algorithm, const BenchArguments& a) {
  const std::string engine = choose_bench_engine(a.engine);
  if (engine == "cpu" && std::any_of(a.outputs.begin(), a.outputs.end(), [](const auto& o) { return o != "bytes"; })) {
    throw UsageError("--output: on the CPU the result is bytes");
  }
  // Report all wrong settings before anything runs.
  check_bench_output(a);
  const auto texts = bench_texts(a);
  std::vector<std::vector<Prepared>> prepared;
  prepared.reserve(texts.size());
  for (const BenchText& text : texts) {
    prepared.push_back(prepare(algorithm, a, text));
  }
  double copy = 0;
#ifdef TRAWL_WITH_CUDA
  if (engine == "cuda") {
    copy = gpu::copy_bandwidth(std::uint64_t{1} << 30);
    std::cerr << "trawl-bench: device-to-device copy " << number(copy / 1e12) << " TB/s, read plus written\n";
  }
#endif
  BenchTable table;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    Experiment experiment(algorithm, a, engine, texts[t]);
    for (const Prepared& point : prepared[t]) {
      table.add(experiment.run(point, copy), std::cout);
    }
  }
  if (!a.tsv.empty()) {
    table.write_tsv(a.tsv);
  }
}

}  // namespace trawl::lab
