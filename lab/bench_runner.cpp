#include "lab/bench_runner.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/error.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#endif

namespace trawl::lab {

namespace {

#ifdef TRAWL_WITH_CUDA
const std::string kGpuOnly = "GPU only; use --engine cuda";
#else
const std::string kGpuOnly = "GPU only, and this build has no CUDA code";
#endif

std::string chosen_engine(const std::string& wanted) {
  if (wanted == "cpu") {
    return wanted;
  }
  std::string why = "this build has no CUDA code";
#ifdef TRAWL_WITH_CUDA
  try {
    std::cerr << "trawl-bench: on " << gpu::usable_devices(1).front().name << '\n';
    return "cuda";
  } catch (const Error& error) {
    why = error.what();
  }
#endif
  if (wanted == "cuda") {
    throw Error("--engine cuda cannot be used here: " + why + "; use --engine cpu");
  }
  const bool has_gpu = std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
  std::cerr << "trawl-bench: on the CPU" << (has_gpu ? " (" + why + ")" : "") << '\n';
  return "cpu";
}

std::string tsv_line(const Row& row, bool header) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += (i > 0 ? "\t" : "") + (header ? row[i].first : row[i].second);
  }
  return line + '\n';
}

}  // namespace

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

void print_list(const std::vector<Algorithm>& all) {
  for (const Algorithm& algorithm : all) {
    const matchers::MatcherFacts& facts = *algorithm.facts;
    std::cout << algorithm.code() << '\t' << facts.name << '\t' << (facts.year == 0 ? "-" : std::to_string(facts.year))
              << '\t' << facts.limits << '\t' << facts.title << (algorithm.on_cpu ? "" : " (GPU only)") << '\n';
  }
}

Row operator+(Row a, const Row& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Row text_columns(const BenchText& text) {
  return {{"n", std::to_string(text.size())}, {"text", text.name()}, {"letters", std::to_string(text.letters())}};
}

Bench::Bench(const Options& options) : options_(options), engine_(chosen_engine(options.word("--engine"))) {
  options.check_engine(engine_);
}

std::vector<Algorithm> Bench::chosen(const std::vector<Algorithm>& all) const {
  std::vector<Algorithm> chosen;
  for (const std::string& word : options_.words("--algorithm")) {
    bool known = word == "all";
    for (const Algorithm& algorithm : all) {
      const bool runs = on_device() ? algorithm.on_cuda : algorithm.on_cpu;
      if (algorithm.is(word) && !runs) {
        throw UsageError("--algorithm " + word + ": it runs on the " +
                         (on_device() ? "CPU only; use --engine cpu" : kGpuOnly));
      }
      known = known || algorithm.is(word);
      if (runs && (word == "all" || algorithm.is(word)) &&
          std::none_of(chosen.begin(), chosen.end(), [&](const auto& one) { return one.facts == algorithm.facts; })) {
        chosen.push_back(algorithm);
      }
    }
    if (!known) {
      throw UsageError("--algorithm: there is no '" + word + "'; --list shows all");
    }
  }
  return chosen;
}

void Bench::leave_out(const Algorithm& algorithm, const std::string& why) {
  const auto& words = options_.words("--algorithm");
  if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return algorithm.is(word); })) {
    throw UsageError("--algorithm " + algorithm.code() + ": " + why);
  }
  if (notes_.insert(algorithm.code() + why).second) {
    std::cerr << "trawl-bench: no row for " << algorithm.code() << ": " << why << '\n';
  }
}

double Bench::median_of(const std::string& who, const std::vector<double>& seconds) const {
  const auto [fastest, slowest] = std::minmax_element(seconds.begin(), seconds.end());
  if (*slowest > 1.5 * *fastest + 50e-6) {
    std::cerr << "trawl-bench: disturbed: the runs of " << who << " took " << number(*fastest * 1e3) << " to "
              << number(*slowest * 1e3) << " ms; is something else running here?\n";
  }
  return median(seconds);
}

void Bench::add(const Row& row) {
  const std::string lines = (table_.empty() ? tsv_line(row, true) : "") + tsv_line(row, false);
  std::cout << lines << std::flush;
  table_ += lines;
}

void Bench::finish() const {
  const std::string path = options_.word("--tsv");
  if (path.empty() || path == "-") {  // standard output has the table already
    return;
  }
  if (std::ofstream file(path, std::ios::binary); !(file << table_ << std::flush)) {
    throw Error(path + ": cannot be written: " + std::strerror(errno));
  }
}

}  // namespace trawl::lab
