// Run times of an experiment.
#pragma once

#include <algorithm>
#include <vector>

#include "base/stopwatch.hpp"

namespace trawl::lab {

/// Seconds that a call of `work` takes.
template <class Work>
double seconds_of(Work&& work) {
  double seconds = 0;
  Stopwatch watch;
  work();
  watch.lap(seconds);
  return seconds;
}

/// The median; of an even number of values, the larger of the two in the middle.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace trawl::lab
