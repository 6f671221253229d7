// What every command does around its work: start the clock, handle signals, check the outputs, set the threads, write
// messages to stderr, and write --stats. Under mpirun each rank has one, but only the first says anything.
//
//   with: ranks::Cluster& cluster, const cli::WorkArguments& arguments
//   CommandRun run("map", "trawl map genome.fa reads.fq", cluster);      // the clock starts
//   io::RunStats stats;
//   run.begin(arguments, stats, {"genome.fa", "reads.fq"}, 8);           // checks the outputs; from now on a signal
//                                                                        // removes incomplete files
//   run.say_engine("cpu", "");
//   io::Progress progress(run.shows_progress(), {});
//   run.end([] {}, progress);                                            // the output is closed
//   run.report(io::stats_json(stats), "10 reads, 2.0 s");                // "trawl map: 10 reads, 2.0 s"
#pragma once

#include <tbb/global_control.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/output_check.hpp"
#include "cli/options/shared_options.hpp"
#include "io/stats/command_stats.hpp"
#include "io/stats/progress.hpp"
#include "ranks/cluster.hpp"

namespace trawl::session {

class CommandRun {
 public:
  /// `name`: of the command; `typed`: the whole command line. `cluster` must outlive this object.
  CommandRun(std::string name, std::string typed, ranks::Cluster& cluster)
      : name_(std::move(name)), typed_(std::move(typed)), cluster_(cluster) {}

  ranks::Cluster& cluster() { return cluster_; }
  const std::string& name() const { return name_; }

  /// `outputs`: those of this command only. The arguments and `stats`, of which it fills in CommandStats, must outlive
  /// this object. Throws UsageError if an output is also an input, IoError if an output cannot be written.
  void begin(const cli::WorkArguments& arguments, io::CommandStats& stats, const std::vector<std::string>& inputs,
             unsigned threads, const std::vector<cli::NamedOutput>& outputs = {});
  /// Lets this many threads work, instead of those given to begin().
  void use_threads(unsigned threads) {
    parallelism_.reset();
    parallelism_.emplace(tbb::global_control::max_allowed_parallelism, threads);
  }
  /// Writes a line to stderr, unless it is empty or --quiet is given.
  void say(const std::string& text) const;
  /// The same with "warning: " before it, unless it is there. The last line of the run says how many there were.
  void warn(const std::string& text);
  /// Each that is not empty.
  void warn_all(const std::vector<std::string>& texts);
  /// Whether a Progress may be shown: on the first rank, unless the user does not want it.
  bool shows_progress() const { return cluster_.is_first() && arguments_->shows_progress && !arguments_->quiet; }
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
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string name_;
  std::string typed_;
  ranks::Cluster& cluster_;
  const cli::WorkArguments* arguments_ = nullptr;
  io::CommandStats* stats_ = nullptr;
  std::optional<tbb::global_control> parallelism_;
  std::uint64_t warnings_ = 0;
};

/// A message with '?' for control characters: in the names of an input they could be commands to the terminal.
std::string for_terminal(std::string text);

/// The line of a warning: with "warning: " before it, unless it is there.
std::string warning_line(const std::string& text);
/// The last line of a run, with the number of its warnings if there were any.
std::string with_warnings(const std::string& summary, std::uint64_t warnings);

/// The ranks of a node share its cores and devices. Cores, unless the user gives --threads: Cluster::cores(). Devices:
/// rank i of a node takes device i, modulo their number. If the user names several, or all, and there are more than
/// ranks, it also takes every further one.
void share_node(const ranks::Cluster& cluster, const cli::WorkArguments& arguments, WorkOptions& options);

}  // namespace trawl::session
