// Times of an experiment's runs.
#pragma once

#include <algorithm>
#include <vector>

#include "base/stopwatch.hpp"

namespace trawl::lab {

/// Seconds that `work` takes.
template <class Work>
double seconds_of(Work&& work) {
  double seconds = 0;
  Stopwatch watch;
  work();
  watch.lap(seconds);
  return seconds;
}

/// The middle one, the larger of two.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace trawl::lab
