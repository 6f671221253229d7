#include "lab/bench_exact_algorithms.hpp"

#include <algorithm>
#include <iostream>
#include <map>

#include "base/error.hpp"
#include "lab/bench_exact.hpp"
#include "matchers/sequential.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/matchers/gpu_matchers.hpp"
#endif

namespace trawl::lab {

namespace {

constexpr matchers::MatcherFacts kTrawlScanFacts = {
    .name = kTrawlScan,
    .code = kTrawlScan,
    .title = "Trawl's own scan with 0 edits, on 2 bits a base",
    .authors = "Trawl",
    .limits = "patterns of A, C, G and T in a text of A, C, G, T and N"};

// Up to six codes and names that are like `word`, but for one or two edits.
std::string similar_to(const std::string& word) {
  std::vector<std::string> similar;
  const unsigned most = word.size() > 3 ? 2 : 1;
  for (unsigned edits = 0; edits <= most && similar.size() < 6; ++edits) {
    for (const ExactAlgorithm& algorithm : exact_algorithms()) {
      const std::string names[] = {algorithm.facts->code, algorithm.facts->name};
      const auto near = std::find_if(std::begin(names), std::end(names), [&](const std::string& name) {
        return name.size() + edits >= word.size() && name.size() <= word.size() + edits &&
               matchers::sequential_ends(name, word, edits).back() == 1;
      });
      if (near != std::end(names) && std::count(similar.begin(), similar.end(), *near) == 0 && similar.size() < 6) {
        similar.push_back(*near);
      }
    }
  }
  std::string text;
  for (const std::string& name : similar) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

const ExactAlgorithm& find(const std::string& word) {
  for (const ExactAlgorithm& algorithm : exact_algorithms()) {
    if (word == algorithm.facts->code || word == algorithm.facts->name) {
      return algorithm;
    }
  }
  const std::string similar = word.empty() ? "" : similar_to(word);
  throw UsageError("--algorithm: there is no '" + word + "'" + (similar.empty() ? "" : "; similar: " + similar) +
                   "; --list shows all");
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
        added.first->second.on_cuda = true;
      }
    }
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
                       (on_device ? "CPU only; use --engine cpu" : "GPU only; use --engine cuda"));
    }
    add(algorithm);
  }
  return chosen;
}

void list_exact_matchers() {
  for (const ExactAlgorithm& algorithm : exact_algorithms()) {
    const matchers::MatcherFacts& facts = *algorithm.facts;
    std::cout << facts.code << '\t' << facts.name << '\t'
              << (facts.year == 0 ? std::string("-") : std::to_string(facts.year)) << '\t' << facts.limits << '\n';
  }
}

}  // namespace trawl::lab
