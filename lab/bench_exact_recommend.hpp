// `trawl-bench exact --recommend`: the fastest algorithms for a text and a pattern.
#pragma once

#include <vector>

#include "lab/bench_exact_run.hpp"

namespace trawl::lab {

struct RankedAlgorithm {
  ExactAlgorithm algorithm;
  ExactMean mean;
};

/// The five fastest of the algorithms on the whole text by their fastest runs, the fastest first. All are tried on a
/// sample of it, and the eight that were fastest there on the whole of it. `runner` is for the whole text.
std::vector<RankedAlgorithm> fastest_algorithms(const ExactText& text, const ExactOptions& options, bool on_device,
                                                const std::vector<ExactAlgorithm>& algorithms,
                                                const std::vector<CheckedPattern>& patterns,
                                                const ExactSetting& setting, ExactRunner& runner);

}  // namespace trawl::lab
