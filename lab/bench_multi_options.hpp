// The options of `trawl-bench multi`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/option.hpp"
#include "lab/bench_text_options.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"

namespace trawl::lab {

/// The lengths of the patterns of a set: each is random from `shortest` to `longest`.
struct LengthRange {
  unsigned shortest = 8;
  unsigned longest = 8;

  /// "8", or "8-32".
  std::string name() const;
};

struct MultiOptions : TextOptions {
  bool list = false;
  std::vector<std::string> algorithms = {"all"};

  std::vector<unsigned> patterns = {1000};
  std::vector<std::string> pattern_lengths = {"8"};
  std::string pattern_file;

  std::string engine = "auto";
  std::vector<std::string> stages = {"cw"};
  std::vector<unsigned> threads = {1};
  std::vector<unsigned> ranks;  // under mpirun; by default all
  std::uint64_t stride = 0;
  std::string output = "count";
  unsigned repeats = 5;
  std::string tsv;

  matchers::SetOutput form() const;
  /// The stages by name, without "all", each once.
  std::vector<std::string> chosen_stages() const;
  /// Throws UsageError.
  std::vector<LengthRange> length_ranges() const;
};

/// The command `multi`.
cli::Command multi_command();

}  // namespace trawl::lab
