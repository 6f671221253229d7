// The parameter space of an experiment over text positions: one point for each combination of the lists of its
// arguments.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_experiments.hpp"
#include "match/cushiftor_settings.hpp"

namespace trawl::cli {

struct Point {
  unsigned pattern_length = 0;
  std::string pattern;  // given, or cut from the text when the point is run
  unsigned max_edits = 0;
  unsigned alpha = 0;
  unsigned word_bits = 0;
  std::string segments;
  bool wildcards = true;
  std::string output;
  std::string variant;

  /// For cuShiftOr, with what was left to choose filled in.
  match::CuShiftOrSettings cushiftor() const;
};

/// All combinations, the last list changing fastest.
std::vector<Point> all_points(const BenchArguments& arguments);

}  // namespace trawl::cli
