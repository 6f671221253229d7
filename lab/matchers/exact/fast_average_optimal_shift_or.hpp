// Fast average optimal Shift-Or (Fredriksson and Grabowski 2005, "Practical and optimal string matching"), q = 2:
// average optimal Shift-Or with its loop unrolled. Four steps are made before a test; spare bits above each part of the
// pattern remember where in them the part ended.
#pragma once

#include "lab/matchers/exact/average_optimal_shift_or.hpp"

namespace trawl::matchers {

struct FastAverageOptimalShiftOr : SampledShiftOr<4> {
  static constexpr MatcherFacts kFacts = {
      .name = "fast-average-optimal-shift-or",
      .code = "faoso2",
      .title = "Shift-Or on every second character of the text, with one test for four steps",
      .authors = "Fredriksson and Grabowski",
      .year = 2005,
      .limits = "m = 1: compares every character; m > 58: searches the first 58 characters, then compares the rest"};
};

}  // namespace trawl::matchers
