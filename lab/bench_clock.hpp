// Run times of an experiment.
#pragma once

#include <time.h>

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

/// Seconds that cores work for this process during a call of `work`, all its threads together. If other programs take
/// the cores, the call takes longer, but not more of these seconds.
template <class Work>
double cpu_seconds_of(Work&& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}

/// The median; of an even number of values, the larger of the two in the middle.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace trawl::lab
