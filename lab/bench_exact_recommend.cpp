#include "lab/bench_exact_recommend.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "lab/bench_exact_check.hpp"

namespace trawl::lab {

namespace {

// Large enough that the time for a sample is the time of the search: 0.4 ms at 10 GB/s on a CPU; a GPU needs more text
// to be busy.
constexpr std::uint64_t kCpuSample = std::uint64_t{1} << 22;
constexpr std::uint64_t kCudaSample = std::uint64_t{1} << 26;
constexpr std::size_t kTriedOnAll = 8;
constexpr std::size_t kShown = 5;
constexpr unsigned kSampleRepeats = 3;

// The middle of the text.
ExactText sample_of(const ExactText& text, std::uint64_t size) {
  ExactText sample;
  sample.name = text.name;
  sample.letters = text.letters;
  sample.characters = text.characters.substr((text.characters.size() - size) / 2, size);
  return sample;
}

std::vector<RankedAlgorithm> rank(const std::vector<ExactAlgorithm>& algorithms,
                                  const std::vector<CheckedPattern>& patterns, const ExactSetting& setting,
                                  ExactRunner& runner, unsigned repeats, std::size_t shown) {
  std::vector<RankedAlgorithm> ranked;
  for (const ExactAlgorithm& algorithm : algorithms) {
    try {
      ranked.push_back({algorithm, run_mean(runner, algorithm, patterns, setting, repeats)});
    } catch (const UsageError&) {
      // Its table does not fit where --memory wants it.
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const RankedAlgorithm& a, const RankedAlgorithm& b) {
    return a.mean.fastest_seconds < b.mean.fastest_seconds;
  });
  ranked.resize(std::min(ranked.size(), shown));
  return ranked;
}

}  // namespace

std::vector<RankedAlgorithm> fastest_algorithms(const ExactText& text, const ExactOptions& options, bool on_device,
                                                const std::vector<ExactAlgorithm>& algorithms,
                                                const std::vector<CheckedPattern>& patterns,
                                                const ExactSetting& setting, ExactRunner& runner) {
  std::vector<ExactAlgorithm> left = algorithms;
  const std::uint64_t sample_size = on_device ? kCudaSample : kCpuSample;
  if (text.characters.size() > sample_size && algorithms.size() > kTriedOnAll) {
    const ExactText sample = sample_of(text, sample_size);
    std::vector<CheckedPattern> sample_patterns;
    unsigned longest = 1;
    for (const CheckedPattern& pattern : patterns) {
      sample_patterns.push_back({pattern.pattern, expected_ends(sample.characters, pattern.pattern)});
      longest = std::max(longest, static_cast<unsigned>(pattern.pattern.size()));
    }
    ExactRunner sample_runner(sample, options, on_device, longest);
    left.clear();
    for (const RankedAlgorithm& best :
         rank(algorithms, sample_patterns, setting, sample_runner, kSampleRepeats, kTriedOnAll)) {
      left.push_back(best.algorithm);
    }
  }
  return rank(left, patterns, setting, runner, options.repeats, kShown);
}

}  // namespace trawl::lab
