// The options that say how a command works but do not change its records. `trawl map` and
// `trawl scan` have the same ones.
//
//   struct MapArguments : WorkArguments { ... };
//   declare_work(command, arguments);                    // -t, --engine, --devices, ...
//   WorkOptions work = work_options(arguments);  // throws UsageError
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "base/work_options.hpp"
#include "ranks/cluster.hpp"

namespace trawl::cli {

/// The values as given by the user.
struct WorkArguments {
  std::string output = "-";
  std::optional<int> compression_level;
  unsigned threads = 0;
  std::string engine = "auto";
  std::string devices;
  std::string device_memory;
  std::string stats;
  std::string multiqc;
  std::string report_html;
  std::string igv_session;
  std::string progress = "auto";
  bool quiet = false;
  bool verbose = false;
  std::string command_line;  // as typed, for the statistics
};

inline constexpr const char* kMatchingGroup = "Matching";
inline constexpr const char* kRecordsGroup = "Records";
inline constexpr const char* kWorkGroup = "Work";

/// Declares the argument REF.
void declare_reference(CLI::App& command, std::string& reference);

/// Declares -e of `trawl map`; parse_max_edits() reads its value.
void declare_max_edits(CLI::App& command, std::string& max_edits);

/// Declares -o and --compression-level. `description` names the formats, `compressed` those that have this level.
void declare_output(CLI::App& command, WorkArguments& arguments, const char* description, const char* compressed,
                    const char* default_size);

/// Declares -t; and --progress, --quiet and --verbose: for a command that needs no other of these options.
void declare_threads(CLI::App& command, WorkArguments& arguments);
void declare_messages(CLI::App& command, WorkArguments& arguments);

/// Declares all options but -o, --multiqc and those for a report, also those above.
void declare_work(CLI::App& command, WorkArguments& arguments);

/// Declares --multiqc, for a command that writes it.
void declare_multiqc(CLI::App& command, WorkArguments& arguments);

/// Declares --report-html and --igv-session, for a command that writes them. `shows`: what the page shows.
void declare_report(CLI::App& command, WorkArguments& arguments, const std::string& shows);

/// The level of --compression-level, or the default one. Throws UsageError if it is given and the output is not
/// compressed with it.
int compression_level(const WorkArguments& arguments, bool output_is_bgzf);

/// Parses a number of bytes: a number followed by K, M, G or nothing. Throws UsageError, with the option's name.
///   parse_bytes("--sort-memory", "4G") == 4294967296
std::uint64_t parse_bytes(const std::string& option, const std::string& text);

/// The ranks of a node share its cores and devices. Cores, unless the user gives --threads: Cluster::cores(). Devices:
/// rank i of a node takes device i, modulo their number. If the user names several, or all, and there are more than
/// ranks, it also takes every further one.
void share_node(const ranks::Cluster& cluster, const WorkArguments& arguments, WorkOptions& options);

/// Where fewer threads work than -t asks for: a message that says so. Empty otherwise.
std::string fewer_threads_text(const WorkArguments& arguments);

/// The meaning of the values. At most as many threads as the machine has cores, or as TRAWL_MAX_THREADS in the
/// environment says. Throws UsageError.
WorkOptions work_options(const WorkArguments& arguments);

}  // namespace trawl::cli
