// Experiments whose result says for every text position whether a match ends there: the matchers of the list that take
// edits, cuShiftOr, and WsPASM.
#include <tbb/global_control.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_options.hpp"
#include "lab/bench_runner.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/cushiftor_on_host.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/wspasm.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/gpu_matchers.hpp"
#include "lab/kernels/paper_kernels.hpp"
#endif

namespace trawl::lab {

namespace {

// The time of the sequential program is measured on this many positions.
constexpr std::uint64_t kSequentialPositions = std::uint64_t{1} << 24;
// Segments per stretch in the CPU version of WsPASM.
constexpr std::size_t kTwinStretch = 16;

// A combination of the values of the options.
struct Point {
  LengthRange pattern_length = {};
  std::string pattern;  // given, or cut from the text
  unsigned max_edits = 0;
  unsigned alpha = 0;
  std::string segments = {};
  std::string output = {};
  std::string variant = {};
  unsigned columns = 0;
  Bench::Row parameters = {};  // the algorithm's columns of the table

  // The settings of each algorithm. They fill in what was left open and throw UsageError if it is not possible.
  matchers::CuShiftOrSettings cushiftor() const {
    using enum matchers::Segments;
    const auto how = segments == "disjoint" ? disjoint : segments == "overlapping" ? overlapping : streamed;
    return matchers::resolve({.pattern = pattern, .max_edits = max_edits, .alpha = alpha, .segments = how});
  }
  matchers::MatcherSettings matcher(const matchers::MatcherFacts& facts) const {
    return matchers::resolve(facts, {pattern, max_edits, alpha});
  }
  matchers::PasmSettings pasm() const {
    using enum matchers::PasmVariant;
    const auto which = variant == "pasm" ? matchers::PasmVariant::pasm : variant == "wspasm" ? wspasm : wspasm_shared;
    // --columns is for WsPASM; PASM has its own value.
    return matchers::resolve(
        matchers::PasmSettings{pattern, max_edits, which, which == matchers::PasmVariant::pasm ? 0 : columns});
  }
};

// Makes every point once for each of the values.
template <class T>
void cross(std::vector<Point>& points, T Point::*member, const std::vector<T>& values) {
  std::vector<Point> crossed;
  for (const Point& point : points) {
    for (const T& value : values) {
      crossed.push_back(point);
      crossed.back().*member = value;
    }
  }
  points.swap(crossed);
}

// What an algorithm must provide.
struct EndsAlgorithm {
  // Its columns in the table, with what was left open; throws UsageError for settings that are not possible.
  std::function<Bench::Row(const Point&)> parameters;
  // Runs on the CPU.
  std::function<std::vector<std::uint8_t>(const std::string& text, const Point&)> twin;
#ifdef TRAWL_WITH_CUDA
  // Runs on the device; returns the seconds of the runs.
  std::function<std::vector<double>(const gpu::DeviceText&, const Point&, gpu::DeviceEnds&, unsigned repeats)> device;
#endif
};

// All combinations for a text; the last list changes fastest.
std::vector<Point> points_for(const std::string& name, const EndsAlgorithm& algorithm, const BenchText& text,
                              const Options& o) {
  std::vector<Point> points = {{.pattern = o.pattern}};
  cross(points, &Point::pattern_length, o.pattern_lengths);
  cross(points, &Point::max_edits, o.max_edits);
  cross(points, &Point::variant, o.variants);
  cross(points, &Point::columns, o.columns);
  cross(points, &Point::alpha, o.alphas);
  cross(points, &Point::segments, o.segments);
  cross(points, &Point::output, o.outputs);
  std::vector<Point> different;
  for (Point& point : points) {
    if (point.pattern.empty()) {
      point.pattern = cut_pattern(text, point.pattern_length.longest, point.max_edits);
    } else if (point.pattern.size() > text.size()) {
      throw UsageError(name + ": -p: the pattern is longer than the text");
    }
    point.parameters = algorithm.parameters(point);
    point.parameters.push_back({"output", point.output});
    // Two points may become equal when open settings are filled in.
    const bool known = std::any_of(different.begin(), different.end(), [&](const Point& other) {
      return other.parameters == point.parameters && other.pattern == point.pattern &&
             other.max_edits == point.max_edits;
    });
    if (!known) {
      different.push_back(std::move(point));
    }
  }
  return different;
}

#ifdef TRAWL_WITH_CUDA
// Computes the ends by another algorithm than `name`, if one can search for the pattern. It tries GBPR first (cuShiftOr
// if `name` is GBPR), then brute force, then PASM.
bool run_other(const std::string& name, const gpu::DeviceText& text, const Point& point, gpu::DeviceEnds& ends) {
  using enum matchers::PasmVariant;
  const std::string& pattern = point.pattern;
  const unsigned k = point.max_edits;
  if (pattern.size() <= 64 && k <= 8) {
    if (name == "gbpr") {
      gpu::run_cushiftor(text, {.pattern = pattern, .max_edits = k}, ends, 1);
    } else {
      gpu::run_matcher("gbpr", text, {pattern, k}, ends, 1);
    }
    return true;
  }
  if (k == 0) {
    gpu::run_matcher("brute-force", text, {pattern}, ends, 1);
    return true;
  }
  try {
    gpu::run_pasm(text, {pattern, k, name == "wspasm" && point.pasm().variant == pasm ? wspasm_shared : pasm}, ends, 1);
    return true;
  } catch (const UsageError&) {
    return false;  // the pattern is too long or has too many different letters for PASM
  }
}
#endif

// One text, in the memory of the host or of the device, as the engine needs it.
class EndsSearch {
 public:
  EndsSearch(std::string name, const EndsAlgorithm& algorithm, const Options& options, Bench& bench, BenchText& text)
      : name_(std::move(name)), algorithm_(algorithm), options_(options), bench_(bench), text_(text) {
#ifdef TRAWL_WITH_CUDA
    if (bench.on_device()) {
      on_device_.emplace(text_.characters());
    }
#endif
  }

  // Runs and checks one point; `copy` is the copy bandwidth of the device.
  void run(const Point& point, double copy) {
    if (text_.is_random()) {
      plant(point);
    }
    std::uint64_t matches = 0;
    const std::vector<double> runs = bench_.on_device() ? on_device(point, matches) : on_host(point, matches);
    const double seconds = bench_.median_of(name_ + ", m = " + std::to_string(point.pattern.size()), runs);
    const auto n = static_cast<double>(text_.size());
    Bench::Row row = {{"n", std::to_string(text_.size())},
                      {"sigma", text_.is_random() ? std::to_string(text_.alphabet().size())
                                : options_.text.empty() && options_.fasta.empty() ? text_.name()
                                                                                  : "file"},
                      {"m", std::to_string(point.pattern.size())},
                      {"k", std::to_string(point.max_edits)}};
    row.insert(row.end(), point.parameters.begin(), point.parameters.end());
    row.insert(row.end(), {{"engine", bench_.engine()},
                           {"matches", std::to_string(matches)},
                           {"ms", number(seconds * 1e3)},
                           {"Gchar/s", number(n / seconds / 1e9)}});
    if (bench_.on_device()) {
      const double written = point.output == "bits" ? n / 8 : point.output == "bytes" ? n : 0.0;
      row.push_back({"% of copy", number(100 * (n + written) / seconds / copy)});
    }
    if (options_.sequential) {
      const std::string some = text_.characters().substr(0, std::min(text_.size(), kSequentialPositions));
      const double rate = static_cast<double>(some.size()) /
                          seconds_of([&] { matchers::sequential_ends(some, point.pattern, point.max_edits); });
      row.push_back({"x sequential", number(n / seconds / rate)});
    }
    bench_.add(row);
  }

 private:
  void plant(const Point& point) {
    [[maybe_unused]] const auto changed = text_.plant(plants_for(text_, point.pattern, point.max_edits));
#ifdef TRAWL_WITH_CUDA
    if (on_device_) {
      for (const Plant& plant : changed) {
        on_device_->write(plant.position, plant.letters);
      }
    }
#endif
  }

  // Each of these searches, checks the result, and returns the seconds of the searches.
  std::vector<double> on_device([[maybe_unused]] const Point& point, [[maybe_unused]] std::uint64_t& matches) const {
    std::vector<double> seconds;
#ifdef TRAWL_WITH_CUDA
    const auto output = point.output == "bits"   ? gpu::Output::bits
                        : point.output == "list" ? gpu::Output::list
                                                 : gpu::Output::bytes;
    const std::uint64_t room = text_.size() / 64 + 1024;
    std::optional<gpu::DeviceEnds> ends(std::in_place, text_.size(), output, room);
    seconds = algorithm_.device(*on_device_, point, *ends, options_.repeats);
    if (const std::uint64_t found = ends->count(); output == gpu::Output::list && found > room) {
      ends.emplace(text_.size(), output, found);
      seconds = algorithm_.device(*on_device_, point, *ends, options_.repeats);
    }
    gpu::DeviceEnds others(text_.size(), gpu::Output::bits);
    const bool has_other = run_other(name_, *on_device_, point, others);
    const auto digest = ends->digest();
    if (has_other && !(digest == others.digest())) {
      throw Error("the matches, " + std::to_string(digest.count) + ", are not those of another algorithm, " +
                  std::to_string(others.digest().count) + "; please report this");
    }
    matches = digest.count;
    check_ends(text_, point.pattern, point.max_edits,
               [&](std::uint64_t first, std::uint64_t count) { return ends->fetch(first, count); });
#endif
    return seconds;
  }

  std::vector<double> on_host(const Point& point, std::uint64_t& matches) const {
    std::vector<std::uint8_t> ends;
    std::vector<double> seconds = times(options_.repeats, [&] { ends = algorithm_.twin(text_.characters(), point); });
    matches = static_cast<std::uint64_t>(std::count(ends.begin(), ends.end(), 1));
    check_ends(text_, point.pattern, point.max_edits, [&](std::uint64_t first, std::uint64_t count) {
      const auto begin = ends.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
    });
    return seconds;
  }

  std::string name_;
  const EndsAlgorithm& algorithm_;
  const Options& options_;
  Bench& bench_;
  BenchText& text_;
#ifdef TRAWL_WITH_CUDA
  std::optional<gpu::DeviceText> on_device_;
#endif
};

void run_ends(const std::string& name, const EndsAlgorithm& algorithm, const Options& o) {
  Bench bench(o);
  if (!bench.on_device() && o.outputs != std::vector<std::string>{"bytes"}) {
    throw UsageError("--output: on the CPU the result is bytes");
  }
  double copy = 0;
#ifdef TRAWL_WITH_CUDA
  if (bench.on_device()) {
    copy = gpu::copy_bandwidth(std::uint64_t{1} << 30);
    std::cerr << "trawl-bench: device-to-device copy " << number(copy / 1e12) << " TB/s, read plus written\n";
  }
#endif
  for_each_text(o, true, [&](BenchText& text) {
    const std::vector<Point> points = points_for(name, algorithm, text, o);  // reports wrong settings
    EndsSearch search(name, algorithm, o, bench, text);
    for (const Point& point : points) {
      search.run(point, copy);
    }
  });
  bench.finish();
}

void run_matcher_ends(const matchers::CpuMatcher& matcher, const Options& o) {
  const matchers::MatcherFacts& facts = *matcher.facts;
  if (o.threads.size() != 1) {
    throw UsageError("--threads: one number here");
  }
  const unsigned threads = used_threads(o.threads[0]);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  EndsAlgorithm algorithm;
  algorithm.parameters = [&](const Point& point) -> Bench::Row {
    const auto settings = point.matcher(facts);
    return facts.alphas[0] != 0 ? Bench::Row{{"alpha", std::to_string(settings.alpha)}} : Bench::Row{};
  };
  algorithm.twin = [&](const std::string& text, const Point& point) {
    return matcher.run(text, point.matcher(facts), {.all_threads = threads > 1}).ends;
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [&](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_matcher(facts.name, text, point.matcher(facts), ends, repeats).seconds;
  };
#endif
  run_ends(facts.name, algorithm, o);
}

void run_cushiftor_ends(const Options& o) {
  EndsAlgorithm algorithm;
  algorithm.parameters = [](const Point& point) -> Bench::Row {
    const auto s = point.cushiftor();
    return {{"alpha", std::to_string(s.alpha)}, {"segments", point.segments}};
  };
  algorithm.twin = [](const std::string& text, const Point& point) {
    return matchers::cushiftor_on_host(text, point.cushiftor());
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_cushiftor(text, point.cushiftor(), ends, repeats);
  };
#endif
  run_ends("cushiftor", algorithm, o);
}

void run_wspasm_ends(const Options& o) {
  EndsAlgorithm algorithm;
  algorithm.parameters = [](const Point& point) -> Bench::Row {
    return {{"variant", point.variant}, {"columns", std::to_string(point.pasm().columns)}};
  };
  algorithm.twin = [](const std::string& text, const Point& point) {
    const auto s = point.pasm();
    return s.variant == matchers::PasmVariant::pasm ? matchers::pasm_on_host(text, s.pattern, s.max_edits)
           : s.columns == 1
               ? matchers::wspasm_on_host<1>(text, s.pattern, s.max_edits, kTwinStretch)
               : matchers::wspasm_on_host<matchers::kRowColumns>(text, s.pattern, s.max_edits, kTwinStretch);
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_pasm(text, point.pasm(), ends, repeats);
  };
#endif
  run_ends("wspasm", algorithm, o);
}

constexpr const char* kEndsFooter =
    "The pattern is cut from the text at a third of its length. Columns of the table:\n"
    "  n, sigma, m, k   letters of the text, of its alphabet and of the pattern; edits\n"
    "  ms, Gchar/s      median time of a run, and 10^9 characters per second\n"
    "  % of copy        bytes read and written per second, in percent of a plain copy on the GPU\n"
    "Each result is compared with plain dynamic programming before its time is printed: in a long text in four\n"
    "windows of 262,144 positions, at the start, after one third, in the middle and at the end. A random text\n"
    "has copies of the pattern with 0 to k + 1 edits there. On the GPU the whole result is also compared with\n"
    "that of another algorithm.\n"
    "\n"
    "Example:\n"
    "  ";

Experiment ends_experiment(const std::string& name, const std::string& description, const std::string& options,
                           const std::string& example, std::function<void(const Options&)> run) {
  return {.name = name,
          .description = description,
          .options = "--pattern --sequential " + options,
          .outputs = {"bytes", "bits", "list"},
          .defaults = {.made = "random"},
          .footer = kEndsFooter + ("trawl-bench " + name + " " + example) + "\n",
          .run = [run = std::move(run)](const Options& o, ranks::Cluster&) { run(o); }};
}

}  // namespace

std::vector<Experiment> ends_experiments() {
  std::vector<Experiment> all;
  for (const matchers::CpuMatcher& matcher : matchers::cpu_matchers()) {
    const matchers::MatcherFacts& facts = *matcher.facts;
    if (facts.code[0] == '\0') {  // the others are for `trawl-bench exact`
      all.push_back(ends_experiment(facts.name, std::string(facts.title) + " (" + facts.paper() + ")",
                                    std::string("--threads --max-edits ") + (facts.alphas[0] != 0 ? "--alpha " : ""),
                                    "-n 268435456 -m 8,32 -k 0,1",
                                    [&matcher](const Options& o) { run_matcher_ends(matcher, o); }));
    }
  }
  all.push_back(
      ends_experiment("cushiftor", "Exact and approximate matching by inclusive scan (Mitani, Ino and Hagihara 2017)",
                      "--max-edits --alpha --segments ", "-n 1073741824 -m 16,24,32 -k 0,1,2", run_cushiftor_ends));
  all.push_back(ends_experiment("wspasm", "Edit distance by rows with warp shuffles (Ho, Oh and Kim 2017)",
                                "--max-edits --variant --columns ",
                                "--text genome.txt -m 64 -k 3 --variant pasm,wspasm,wspasm-shared", run_wspasm_ends));
  return all;
}

}  // namespace trawl::lab
