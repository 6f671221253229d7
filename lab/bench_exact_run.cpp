#include "lab/bench_exact_run.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "lab/bench_clock.hpp"
#include "lab/bench_exact_check.hpp"
#include "lab/bench_scan_runner.hpp"
#include "scan/find/query.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/gpu_matchers.hpp"
#endif

namespace trawl::lab {

namespace {

// ", pattern 'ACGT'", if that can be read.
std::string short_pattern(const std::string& pattern) {
  constexpr std::size_t kLongest = 64;
  const bool readable = pattern.size() <= kLongest &&
                        std::all_of(pattern.begin(), pattern.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return readable ? ", pattern '" + pattern + "'" : "";
}

}  // namespace

struct ExactRunner::State {
  const ExactText& text;
  const ExactOptions& options;
  bool on_device;
  unsigned longest;
  std::optional<sequence::Reference> reference{};  // of trawl-scan, made when first needed
#ifdef TRAWL_WITH_CUDA
  std::optional<gpu::DeviceText> device_text{};
  std::optional<gpu::HostCharacters> host_text{};
  std::optional<gpu::ScanText> scan_text{};
#endif

  Measurement run_on_cpu(const ExactAlgorithm& algorithm, const CheckedPattern& pattern, const ExactSetting& setting,
                         unsigned repeats);
  Measurement run_trawl_scan(const CheckedPattern& pattern, const ExactSetting& setting, unsigned repeats);
  void check_scan(const std::vector<scan::Hit>& hits, const CheckedPattern& pattern) const;
  std::string who(const char* code, const CheckedPattern& pattern) const {
    return std::string(code) + ", m = " + std::to_string(pattern.pattern.size()) + ", text " + text.name +
           short_pattern(pattern.pattern);
  }
#ifdef TRAWL_WITH_CUDA
  Measurement run_on_device(const ExactAlgorithm& algorithm, const CheckedPattern& pattern, const ExactSetting& setting,
                            unsigned repeats);
  void check_room() const;
  void check_ends(const ExactAlgorithm& algorithm, const gpu::DeviceEnds& ends, const CheckedPattern& pattern) const;
  Measurement run_with_copies(const ExactAlgorithm& algorithm, const CheckedPattern& pattern,
                              const ExactSetting& setting, unsigned repeats);
#endif
};

namespace {

void set_seconds(const std::vector<double>& runs, Measurement& measurement) {
  measurement.search_seconds = median(runs);
  measurement.fastest_seconds = *std::min_element(runs.begin(), runs.end());
  measurement.slowest_seconds = *std::max_element(runs.begin(), runs.end());
}

// Whether the runs differ by more than half. Those of very short runs always do.
bool is_disturbed(const Measurement& m) {
  constexpr double kClock = 50e-6;
  return m.slowest_seconds > 1.5 * m.fastest_seconds + kClock;
}

#ifdef TRAWL_WITH_CUDA
gpu::TableMemory memory_of(const std::string& word) {
  using enum gpu::TableMemory;
  return word == "constant" ? constant : word == "shared" ? shared : word == "global" ? global : automatic;
}

std::string word_of(gpu::TableMemory memory) {
  using enum gpu::TableMemory;
  return memory == constant ? "constant" : memory == shared ? "shared" : memory == global ? "global" : "auto";
}

Measurement measured(double prepare_seconds, const std::vector<double>& runs, const gpu::GpuWork& chosen) {
  Measurement measurement{.prepare_seconds = prepare_seconds,
                          .threads = std::to_string(chosen.blocks) + "x" + std::to_string(chosen.threads),
                          .memory = word_of(chosen.memory),
                          .stretch = std::to_string(chosen.stretch)};
  set_seconds(runs, measurement);
  return measurement;
}

// Bits in words of 64.
std::vector<std::uint64_t> words_of(const std::vector<std::uint32_t>& halves) {
  std::vector<std::uint64_t> words((halves.size() + 1) / 2);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    words[i / 2] |= std::uint64_t{halves[i]} << (i % 2 * 32);
  }
  return words;
}

// As DeviceEnds::digest() says.
gpu::EndsDigest digest_of(const std::vector<std::uint64_t>& ends) {
  gpu::EndsDigest digest{ends.size(), 0};
  for (const std::uint64_t j : ends) {
    digest.hash += mixed(j);
  }
  return digest;
}
#endif

}  // namespace

Measurement ExactRunner::State::run_on_cpu(const ExactAlgorithm& algorithm, const CheckedPattern& pattern,
                                           const ExactSetting& setting, unsigned repeats) {
  const matchers::CpuWork work{.all_threads = setting.threads > 1, .stretch = options.stride, .output = options.form()};
  std::vector<double> prepare, search;
  for (unsigned r = 0; r <= repeats; ++r) {
    const matchers::CpuEnds found = algorithm.on_cpu->run(text.characters, {.pattern = pattern.pattern}, work);
    if (r == 0) {  // not timed: it finds the caches cold
      check_found(who(algorithm.facts->code, pattern), work.output, {found.count, found.ends, found.bits, found.list},
                  text.characters.size(), pattern.ends);
      continue;
    }
    prepare.push_back(found.prepare_seconds);
    search.push_back(found.search_seconds);
  }
  Measurement measurement{.prepare_seconds = median(prepare),
                          .threads = std::to_string(setting.threads),
                          .stretch = options.stride == 0 ? "-" : std::to_string(options.stride)};
  set_seconds(search, measurement);
  return measurement;
}

// Ends are in the coordinate space of the reference; they are compared as positions of the text.
void ExactRunner::State::check_scan(const std::vector<scan::Hit>& hits, const CheckedPattern& pattern) const {
  std::vector<std::uint64_t> list;
  std::size_t c = 0;
  for (const scan::Hit& hit : hits) {
    while (hit.end >= reference->contigs()[c].offset + reference->contigs()[c].length) {
      ++c;
    }
    list.push_back(text.bases[c].begin + (hit.end - reference->contigs()[c].offset));
  }
  check_found(who(kTrawlScan, pattern), matchers::Output::list, {list.size(), {}, {}, list}, text.characters.size(),
              pattern.ends);
}

Measurement ExactRunner::State::run_trawl_scan(const CheckedPattern& pattern, const ExactSetting& setting,
                                               unsigned repeats) {
  if (!reference) {
    reference = make_reference(text);
  }
  scan::Options scan_options;
  scan_options.max_edits = 0;
  scan_options.strands = scan::Strands::forward;
  const auto queries = scan::make_queries({{"pattern", pattern.pattern}}, scan_options);
  ScanRunner runner;
  if (!on_device) {
    runner = cpu_scan_runner(*reference, repeats);
  }
#ifdef TRAWL_WITH_CUDA
  if (on_device) {
    if (!scan_text) {
      scan_text.emplace(*reference, false, std::min<std::uint64_t>(longest, gpu::kWuManberLongest));
    }
    runner = cuda_scan_runner(*scan_text, repeats);
  }
#endif
  const ScanOutcome outcome = runner(queries, scan_options);
  check_scan(outcome.ends, pattern);
  Measurement measurement{.threads = on_device ? "-" : std::to_string(setting.threads)};
  set_seconds(outcome.seconds, measurement);
  return measurement;
}

#ifdef TRAWL_WITH_CUDA
Measurement ExactRunner::State::run_on_device(const ExactAlgorithm& algorithm, const CheckedPattern& pattern,
                                              const ExactSetting& setting, unsigned repeats) {
  if (!device_text) {
    check_room();
    device_text.emplace(text.characters);
  }
  gpu::DeviceEnds ends(text.characters.size(), options.form(), pattern.ends.size());
  const gpu::GpuRun run =
      gpu::run_matcher(algorithm.facts->name, *device_text, {.pattern = pattern.pattern}, ends, repeats,
                       {.memory = memory_of(setting.memory), .stretch = static_cast<unsigned>(options.stride)});
  check_ends(algorithm, ends, pattern);
  return measured(run.prepare_seconds, run.seconds, run.chosen);
}

void ExactRunner::State::check_room() const {
  const std::uint64_t size = text.characters.size();
  const std::uint64_t needed = size + (options.form() == matchers::Output::bytes ? size : size / 8);
  if (const std::uint64_t free = gpu::usable_memory({}); needed > free) {
    throw Error("the text and the result need " + std::to_string(needed) + " bytes, and the GPU has " +
                std::to_string(free) + " free; with --streams 2 the text goes through in pieces");
  }
}

void ExactRunner::State::check_ends(const ExactAlgorithm& algorithm, const gpu::DeviceEnds& ends,
                                    const CheckedPattern& pattern) const {
  const std::string name = who(algorithm.facts->code, pattern);
  if (options.form() == matchers::Output::list && ends.count() == pattern.ends.size()) {
    const auto list = ends.list();
    check_found(name, matchers::Output::list, {list.size(), {}, {}, list}, text.characters.size(), pattern.ends);
    return;
  }
  check_found(name, matchers::Output::count, {ends.count(), {}, {}, {}}, text.characters.size(), pattern.ends);
  if (options.form() != matchers::Output::count && ends.digest() != digest_of(pattern.ends)) {
    throw Error(name + ": the positions differ from memmem's; please report this");
  }
}

Measurement ExactRunner::State::run_with_copies(const ExactAlgorithm& algorithm, const CheckedPattern& pattern,
                                                const ExactSetting& setting, unsigned repeats) {
  if (!host_text) {
    host_text.emplace(text.characters, options.pinned);
  }
  const gpu::HostTextWork work{
      .streams = setting.streams,
      .output = options.form(),
      .search = {.memory = memory_of(setting.memory), .stretch = static_cast<unsigned>(options.stride)}};
  std::vector<double> prepare, search;
  gpu::GpuWork chosen;
  for (unsigned r = 0; r <= repeats; ++r) {
    const gpu::HostTextRun found =
        gpu::run_matcher_from_host(algorithm.facts->name, *host_text, {.pattern = pattern.pattern}, work);
    if (r == 0) {
      check_found(who(algorithm.facts->code, pattern), work.output,
                  {found.count, found.bytes, words_of(found.bits), found.list}, text.characters.size(), pattern.ends);
      continue;
    }
    prepare.push_back(found.prepare_seconds);
    search.push_back(found.seconds);
    chosen = found.chosen;
  }
  return measured(median(prepare), search, chosen);
}
#endif

ExactRunner::ExactRunner(const ExactText& text, const ExactOptions& options, bool on_device, unsigned longest)
    : state_(new State{text, options, on_device, longest}) {}

ExactRunner::~ExactRunner() = default;

std::string ExactRunner::refusal(const ExactAlgorithm& algorithm, const std::string& pattern) const {
  if (!algorithm.is_trawl_scan()) {
    try {
      (void)matchers::resolve(*algorithm.facts, {.pattern = pattern});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  if (state_->text.bases.empty()) {
    return "the text has other characters than A, C, G, T and N";
  }
  if (pattern.find_first_not_of("ACGT") != std::string::npos) {
    return "the pattern has other characters than A, C, G and T";
  }
  if (state_->on_device && state_->options.copies()) {
    return "it is timed with its text on the GPU, not with --streams or --pinned";
  }
  std::uint64_t most = scan::kMaxPatternLength;
#ifdef TRAWL_WITH_CUDA
  most = state_->on_device ? gpu::kWuManberLongest : most;
#endif
  return pattern.size() > most ? "it takes patterns of at most " + std::to_string(most) + " characters here" : "";
}

Measurement ExactRunner::run(const ExactAlgorithm& algorithm, const CheckedPattern& pattern,
                             const ExactSetting& setting, unsigned repeats) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, setting.threads);
  if (algorithm.is_trawl_scan()) {
    return state_->run_trawl_scan(pattern, setting, repeats);
  }
#ifdef TRAWL_WITH_CUDA
  if (state_->on_device) {
    return state_->options.copies() ? state_->run_with_copies(algorithm, pattern, setting, repeats)
                                    : state_->run_on_device(algorithm, pattern, setting, repeats);
  }
#endif
  return state_->run_on_cpu(algorithm, pattern, setting, repeats);
}

ExactMean run_mean(ExactRunner& runner, const ExactAlgorithm& algorithm, const std::vector<CheckedPattern>& patterns,
                   const ExactSetting& setting, unsigned repeats) {
  ExactMean mean;
  for (const CheckedPattern& pattern : patterns) {
    mean.last = runner.run(algorithm, pattern, setting, repeats);
    mean.prepare_seconds += mean.last.prepare_seconds / static_cast<double>(patterns.size());
    mean.search_seconds += mean.last.search_seconds / static_cast<double>(patterns.size());
    mean.fastest_seconds += mean.last.fastest_seconds / static_cast<double>(patterns.size());
    mean.matches += pattern.ends.size();
    if (is_disturbed(mean.last) && mean.last.slowest_seconds * mean.disturbed.fastest_seconds >=
                                       mean.disturbed.slowest_seconds * mean.last.fastest_seconds) {
      mean.disturbed = mean.last;
    }
  }
  return mean;
}

}  // namespace trawl::lab
