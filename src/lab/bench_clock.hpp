// Times of an experiment's runs.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace trawl::lab {

/// Seconds that `work` takes.
template <class Work>
double seconds_of(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The middle one, the larger of two.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace trawl::lab
