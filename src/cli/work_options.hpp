// The options that say how a command works, not what it writes: the same for `trawl map` and `trawl scan`.
//
//   struct MapArguments : WorkArguments { ... };
//   declare_work(command, arguments);                    // -t, --engine, --devices, ...
//   engine::WorkOptions work = work_options(arguments);  // throws UsageError
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "engine/work_options.hpp"

namespace trawl::cli {

/// As given.
struct WorkArguments {
  std::string output = "-";
  unsigned threads = 0;
  std::string engine = "auto";
  std::string devices;
  std::string device_memory;
  std::string stats;
  std::string progress = "auto";
  std::string command_line;  // as typed, for the statistics
};

inline constexpr const char* kMatchingGroup = "Matching";
inline constexpr const char* kRecordsGroup = "Records";
inline constexpr const char* kWorkGroup = "Work";

/// The argument REF.
void declare_reference(CLI::App& command, std::string& reference);

/// -o; `description` names the formats.
void declare_output(CLI::App& command, WorkArguments& arguments, const char* description);

/// All others.
void declare_work(CLI::App& command, WorkArguments& arguments);

/// What they mean. Throws UsageError.
engine::WorkOptions work_options(const WorkArguments& arguments);

}  // namespace trawl::cli
