#include "lab/bench_exact_algorithms.hpp"

#include <algorithm>
#include <iostream>
#include <map>

#include "base/error.hpp"
#include "cli/options/similar_names.hpp"
#include "lab/bench_exact.hpp"
#ifdef TRAWL_WITH_CUDA
#include "lab/kernels/gpu_matchers.hpp"
#else
#include "lab/matchers/packed/word_compare.hpp"
#endif

namespace trawl::lab {

namespace {

constexpr matchers::MatcherFacts kTrawlScanFacts = {
    .name = kTrawlScan,
    .code = kTrawlScan,
    .title = "Trawl's own scan with 0 edits, on 2 bits a base",
    .authors = "Trawl",
    .limits = "patterns of A, C, G and T in a text of A, C, G, T and N"};

#ifdef TRAWL_WITH_CUDA
constexpr bool kHasCuda = true;
#else
constexpr bool kHasCuda = false;
#endif

bool is_named(const matchers::MatcherFacts& facts, const std::string& word) {
  return word == facts.code || word == facts.name;
}

std::vector<std::string> codes_and_names() {
  std::vector<std::string> all;
  for (const ExactAlgorithm& algorithm : exact_algorithms()) {
    all.insert(all.end(), {algorithm.facts->code, algorithm.facts->name});
  }
  return all;
}

const ExactAlgorithm& find(const std::string& word) {
  for (const ExactAlgorithm& algorithm : exact_algorithms()) {
    if (is_named(*algorithm.facts, word)) {
      return algorithm;
    }
  }
  throw UsageError("--algorithm: there is no '" + word + "'; --list shows all" +
                   cli::did_you_mean(word, codes_and_names()));
}

}  // namespace

const std::vector<ExactAlgorithm>& exact_algorithms() {
  static const std::vector<ExactAlgorithm> all = [] {
    std::map<std::string, ExactAlgorithm> by_code;
    for (const matchers::CpuMatcher& matcher : matchers::cpu_matchers()) {
      if (matcher.facts->code[0] != '\0') {
        by_code[matcher.facts->code] = {matcher.facts, &matcher, false};
      }
    }
#ifdef TRAWL_WITH_CUDA
    for (const gpu::GpuMatcher& matcher : gpu::gpu_matchers()) {
      if (matcher.facts->code[0] != '\0') {
        const auto added = by_code.try_emplace(matcher.facts->code, ExactAlgorithm{matcher.facts, nullptr, true});
        if (std::string(added.first->second.facts->name) != matcher.facts->name) {
          matchers::check_unique({added.first->second.facts, matcher.facts});
        }
        added.first->second.on_cuda = true;
      }
    }
#else
    by_code[matchers::WordCompare::kFacts.code] = {&matchers::WordCompare::kFacts, nullptr, true};
#endif
    std::vector<ExactAlgorithm> sorted;
    for (const auto& entry : by_code) {
      sorted.push_back(entry.second);
    }
    sorted.push_back({&kTrawlScanFacts, nullptr, true});
    return sorted;
  }();
  return all;
}

std::vector<ExactAlgorithm> choose_algorithms(const std::vector<std::string>& words, bool on_device) {
  std::vector<ExactAlgorithm> chosen;
  const auto add = [&](const ExactAlgorithm& algorithm) {
    const auto same = [&](const ExactAlgorithm& other) { return other.facts == algorithm.facts; };
    if (std::none_of(chosen.begin(), chosen.end(), same)) {
      chosen.push_back(algorithm);
    }
  };
  const auto runs = [&](const ExactAlgorithm& algorithm) {
    return algorithm.is_trawl_scan() || (on_device ? algorithm.on_cuda : algorithm.on_cpu != nullptr);
  };
  for (const std::string& word : words) {
    if (word == "all") {
      for (const ExactAlgorithm& algorithm : exact_algorithms()) {
        if (runs(algorithm)) {
          add(algorithm);
        }
      }
      continue;
    }
    const ExactAlgorithm& algorithm = find(word);
    if (!runs(algorithm)) {
      throw UsageError("--algorithm " + word + ": it runs on the " +
                       (on_device  ? "CPU only; use --engine cpu"
                        : kHasCuda ? "GPU only; use --engine cuda"
                                   : "GPU only, and this build has no CUDA code"));
    }
    add(algorithm);
  }
  return chosen;
}

std::string instead_of_command(const std::string& word, const std::vector<std::string>& commands) {
  const auto& all = exact_algorithms();
  if (std::any_of(all.begin(), all.end(), [&](const ExactAlgorithm& a) { return is_named(*a.facts, word); })) {
    return "; it is an exact matcher: 'trawl-bench exact -a " + word + "'";
  }
  if (const std::string command = cli::did_you_mean(word, commands); !command.empty()) {
    return command;
  }
  const std::string matcher = cli::did_you_mean(word, codes_and_names());
  return matcher.empty() ? "" : matcher + " It is an exact matcher, for 'trawl-bench exact -a'";
}

void list_exact_matchers() {
  for (const ExactAlgorithm& algorithm : exact_algorithms()) {
    const matchers::MatcherFacts& facts = *algorithm.facts;
    std::cout << facts.code << '\t' << facts.name << '\t'
              << (facts.year == 0 ? std::string("-") : std::to_string(facts.year)) << '\t' << facts.limits << '\t'
              << facts.title
              << (algorithm.is_gpu_only() ? kHasCuda ? " (GPU only)" : " (GPU only; needs a build with CUDA)" : "")
              << '\n';
  }
}

}  // namespace trawl::lab
