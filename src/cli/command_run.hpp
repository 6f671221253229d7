// What the commands that search (map, scan, primers, mappability) do around their work, and `trawl index`: start the
// clock, handle signals, check the outputs, set the threads, write messages to stderr, and write --stats.
//
//   io::RunStats stats;
//   CommandRun run("map", arguments, stats);    // the clock starts
//   run.begin({"genome.fa", "reads.fq"}, 8);    // checks the outputs; from now on a signal removes incomplete files
//   run.say_engine(engine->description(), "");
//   ...                                         // the work
//   run.end([&] { sink->close(); }, progress);
//   run.report(io::stats_json(stats), "10 reads, 2.0 s");   // "trawl map: 10 reads, 2.0 s"
#pragma once

#include <tbb/global_control.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/output_check.hpp"
#include "cli/options/work_options.hpp"
#include "io/stats/command_stats.hpp"
#include "io/stats/progress.hpp"
#include "ranks/cluster.hpp"

namespace trawl::cli {

class CommandRun {
 public:
  /// `name`: name of the command. The arguments and `stats` must outlive this object. It fills in the values of
  /// CommandStats.
  /// `cluster`: of a command that several ranks share, also outlives it; null: a command of one process. Only the first
  /// rank checks the outputs and says anything.
  CommandRun(std::string name, const WorkArguments& arguments, io::CommandStats& stats,
             ranks::Cluster* cluster = nullptr);

  /// `outputs`: those of this command only. Throws UsageError if an output is also an input, IoError if an output
  /// cannot be written.
  void begin(const std::vector<std::string>& inputs, unsigned threads, const std::vector<NamedOutput>& outputs = {});
  /// Lets this many threads work, instead of those given to begin().
  void use_threads(unsigned threads) {
    parallelism_.reset();
    parallelism_.emplace(tbb::global_control::max_allowed_parallelism, threads);
  }
  /// Writes a line to stderr, unless --quiet is given.
  void say(const std::string& text) const;
  /// The same with "warning: " before it, unless it is there. The last line of the run says how many there were.
  void warn(const std::string& text);
  /// Whether a Progress may be shown: on the first rank, unless the user does not want it.
  bool shows_progress() const { return is_first() && arguments_.progress == "auto" && !arguments_.quiet; }
  /// How a run of several ranks ends if one of them fails.
  ranks::RunEnd run_end(const std::string& out_of_memory) const;
  /// For the table of ranks: what this one has done, in the command's unit of work.
  io::CommandStats::Rank of_this_rank(std::uint64_t done) const;
  /// Records the engine in the statistics. If the user did not choose one, also says which engine is used and why the
  /// preferred one is not.
  void say_engine(const std::string& description, const std::string& why);
  /// Closes the output, which is then complete, and stops the clock.
  void end(const std::function<void()>& close, io::Progress& progress);
  /// Writes the statistics if the user asked for them, and the last line on stderr; with --verbose also the times of
  /// the phases and the memory.
  void report(const std::string& stats_json, const std::string& summary) const;
  /// The same; `write_stats` writes the statistics to the given path.
  void report(const std::function<void(const std::string&)>& write_stats, const std::string& summary) const;

 private:
  bool is_first() const { return cluster_ == nullptr || cluster_->is_first(); }
  void say_always(const std::string& text) const;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string name_;
  const WorkArguments& arguments_;
  io::CommandStats& stats_;
  ranks::Cluster* cluster_;
  std::optional<tbb::global_control> parallelism_;
  std::uint64_t warnings_ = 0;
};

/// The line of a warning: with "warning: " before it, unless it is there.
std::string warning_line(const std::string& text);
/// The last line of a run, with the number of its warnings if there were any.
std::string with_warnings(const std::string& summary, std::uint64_t warnings);

/// For example "12.3 s", for the last line.
std::string seconds_text(double seconds);

/// The ranks of a node share its cores and devices. Cores, unless the user gives --threads: Cluster::cores(). Devices:
/// rank i of a node takes device i, modulo their number. If the user names several, or all, and there are more than
/// ranks, it also takes every further one.
void share_node(const ranks::Cluster& cluster, const WorkArguments& arguments, WorkOptions& options);

}  // namespace trawl::cli
