// Experiments whose result is the positions where matches end: the matchers of the list, cuShiftOr, and WsPASM.
#include <tbb/global_control.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "lab/bench_experiment.hpp"
#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/cushiftor_host_variants.hpp"
#include "lab/matchers/exact/brute_force.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/pasm_on_host.hpp"
#include "lab/matchers/wspasm_on_host.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/cushiftor.hpp"
#include "lab/kernels/gpu_matchers.hpp"
#include "lab/kernels/wspasm.hpp"
#endif

namespace trawl::lab {

namespace {

// Segments per stretch in the CPU version of WsPASM.
constexpr std::size_t kTwinStretch = 16;

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
  if (k == 0 && name != "brute-force" && pattern.size() <= matchers::BruteForce::kFacts.longest) {
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

void run_matcher(const matchers::CpuMatcher& matcher, const BenchArguments& arguments) {
  const matchers::MatcherFacts& facts = *matcher.facts;
  if (facts.letters[0] != '\0' && (!arguments.text.empty() || facts.letters != std::string("ACGT") ||
                                   arguments.sigma != std::vector<unsigned>{4})) {
    throw UsageError(std::string(facts.name) + " takes random texts of A, C, G and T only");
  }
  const unsigned threads =
      arguments.threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : arguments.threads;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  Algorithm algorithm;
  algorithm.parameters = [&](Point& point) -> BenchTable::Row {
    const auto settings = point.matcher(facts);
    BenchTable::Row row;
    if (facts.alphas[0] != 0) {
      row.push_back({"alpha", std::to_string(settings.alpha)});
    }
    row.push_back({"output", point.output});
    return row;
  };
  algorithm.twin = [&](const std::string& text, const Point& point) {
    return matcher.run(text, point.matcher(facts), {.all_threads = threads > 1}).ends;
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [&](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_matcher(facts.name, text, point.matcher(facts), ends, repeats).seconds;
  };
  algorithm.other = [&](const auto& text, const Point& point, auto& ends) {
    return run_other(facts.name, text, point, ends);
  };
#endif
  run_experiment(algorithm, arguments);
}

void run_cushiftor(const BenchArguments& arguments) {
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
    return matchers::cushiftor_on_host(text, point.cushiftor());
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_cushiftor(text, point.cushiftor(), ends, repeats);
  };
  algorithm.other = [](const auto& text, const Point& point, auto& ends) {
    return run_other("cushiftor", text, point, ends);
  };
#endif
  run_experiment(algorithm, arguments);
}

void run_wspasm(const BenchArguments& arguments) {
  Algorithm algorithm;
  algorithm.parameters = [](Point& point) -> BenchTable::Row {
    return {{"variant", point.variant}, {"columns", std::to_string(point.pasm().columns)}, {"output", point.output}};
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
  algorithm.other = [](const auto& text, const Point& point, auto& ends) {
    return run_other("wspasm", text, point, ends);
  };
#endif
  run_experiment(algorithm, arguments);
}

// For example "0: the first".
std::string alpha_help(const matchers::MatcherFacts& facts) {
  std::string text = "Characters loaded at a time:";
  for (std::size_t i = 0; i < std::size(facts.alphas) && facts.alphas[i] != 0; ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(facts.alphas[i]);
  }
  return text + "; 0: " + std::to_string(facts.alphas[0]);
}

}  // namespace

std::vector<BenchEntry> matcher_entries() {
  std::vector<BenchEntry> entries;
  for (const matchers::CpuMatcher& matcher : matchers::cpu_matchers()) {
    const matchers::MatcherFacts& facts = *matcher.facts;
    const std::string name = facts.name;
    entries.push_back({.name = name,
                       .description = std::string(facts.title) + " (" + facts.paper() + ")",
                       .options = kBytes | kEnds | kThreads | (facts.most_edits > 0 ? kEdits : 0u) |
                                  (facts.alphas[0] != 0 ? kAlpha : 0u),
                       .alpha_help = alpha_help(facts),
                       .example = "trawl-bench " + name + " -n 268435456 -m 8,32" +
                                  (facts.most_edits > 0 ? " -k 0,1" : "") + " -o " + name + ".tsv",
                       .run = [&matcher](const BenchArguments& arguments) { run_matcher(matcher, arguments); },
                       // `trawl-bench exact --list` names those with a code, which are many.
                       .hidden = facts.code[0] != '\0'});
  }
  return entries;
}

BenchEntry cushiftor_entry() {
  return {.name = "cushiftor",
          .description = "Exact and approximate matching by inclusive scan (Mitani, Ino and Hagihara 2017)",
          .options = kBytes | kEnds | kEdits | kAlpha | kCascade,
          .alpha_help = "Characters per thread: 1, 2, 4, 8 or 16; 0: 16",
          .example = "trawl-bench cushiftor -n 1073741824 -m 16,24,32 -k 0,1,2",
          .run = run_cushiftor};
}

BenchEntry wspasm_entry() {
  return {.name = "wspasm",
          .description = "Edit distance by rows with warp shuffles (Ho, Oh and Kim 2017)",
          .options = kBytes | kEnds | kEdits | kVariants,
          .alpha_help = "",
          .example = "trawl-bench wspasm --text genome.txt -m 64 -k 3 --variant pasm,wspasm,wspasm-shared",
          .run = run_wspasm};
}

}  // namespace trawl::lab
