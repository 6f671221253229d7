// The parameter space of an experiment: its texts, and one point for each combination of the argument lists.
#pragma once

#include <string>
#include <vector>

#include "lab/bench_experiments.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/cushiftor_settings.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/paper_settings.hpp"

namespace trawl::lab {

struct Point {
  unsigned pattern_length = 0;
  std::string pattern;  // given, or cut from the text when the point runs
  unsigned max_edits = 0;
  unsigned alpha = 0;
  unsigned word_bits = 0;
  std::string segments;
  bool wildcards = true;
  std::string output;
  std::string variant;
  unsigned columns = 0;

  /// One function for each algorithm. They fill in settings that were left open and throw UsageError if settings are
  /// not possible.
  matchers::CuShiftOrSettings cushiftor() const;
  matchers::MatcherSettings matcher(const matchers::MatcherFacts& facts) const;
  matchers::PasmSettings pasm() const;
};

/// All combinations; the last list changes fastest.
std::vector<Point> all_points(const BenchArguments& arguments);

/// The text of the file, or a random text for each length and alphabet. Throws InputError, IoError, UsageError.
std::vector<BenchText> bench_texts(const BenchArguments& arguments);

/// Throws UsageError or IoError if the table cannot be written.
void check_bench_output(const BenchArguments& arguments);

}  // namespace trawl::lab
