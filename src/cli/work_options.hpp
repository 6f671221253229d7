// The options that say how a command works, not what it writes: the same for `trawl map` and `trawl scan`.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "cli/validators.hpp"

namespace trawl::cli {

inline constexpr const char* kWorkGroup = "Work";

inline void add_threads_option(CLI::App& command, unsigned& threads) {
  command.add_option("-t,--threads", threads, "Threads; 0: all cores")
      ->check(whole_number())
      ->type_name("N")
      ->capture_default_str()
      ->group(kWorkGroup);
}

inline void add_report_options(CLI::App& command, std::string& stats, std::string& progress) {
  command.add_option("--stats", stats, "Statistics of the run, as JSON")
      ->check(not_empty())
      ->type_name("FILE.json")
      ->group(kWorkGroup);
  command.add_option("--progress", progress, "Progress on a terminal")
      ->check(CLI::IsMember({"auto", "off"}))
      ->type_name("auto|off")
      ->capture_default_str()
      ->group(kWorkGroup);
}

/// What --threads comes to. Throws UsageError.
inline unsigned thread_count(unsigned wanted) {
  constexpr unsigned kMaxThreads = 1024;
  if (wanted > kMaxThreads) {
    throw UsageError("--threads " + std::to_string(wanted) + ": at most " + std::to_string(kMaxThreads) +
                     " are possible");
  }
  return wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace trawl::cli
