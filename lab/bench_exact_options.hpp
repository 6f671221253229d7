// The options of `trawl-bench exact`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/option.hpp"
#include "lab/bench_text_options.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::lab {

struct ExactOptions : TextOptions {
  bool list = false;
  bool recommend = false;
  std::vector<std::string> algorithms = {"all"};

  std::string pattern;
  std::vector<unsigned> pattern_lengths = {8, 64};
  unsigned patterns = 1;

  std::string engine = "auto";
  std::vector<unsigned> threads = {1};
  std::uint64_t stride = 0;
  std::vector<std::string> memories = {"auto"};
  std::vector<unsigned> streams;  // empty: the text lies on the device
  bool pinned = false;
  std::string output = "list";
  unsigned repeats = 5;
  std::string tsv;

  /// Whether the text lies in the memory of the host and its copy to the device is a part of the time.
  bool copies() const { return pinned || !streams.empty(); }
  matchers::Output form() const;
  /// What was given on the command line for the GPU only, for example "--memory"; empty: nothing.
  std::string for_cuda_only;
  /// The same for the CPU.
  std::string for_cpu_only;
};

/// The command `exact`.
cli::Command exact_command();

}  // namespace trawl::lab
