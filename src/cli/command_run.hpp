// What `trawl map` and `trawl scan` do around their work: the clock, signals, the check of the outputs, threads, what
// is said on stderr, --stats.
//
//   io::RunStats stats;
//   CommandRun run("map", arguments, stats);    // the clock starts
//   run.begin({"genome.fa", "reads.fq"}, 8);    // checks the outputs; from here on signals remove what is half written
//   run.say_engine(engine->description(), "");
//   ...                                         // the work
//   run.end([&] { sink->close(); }, progress);
//   run.report(io::stats_json(stats), "10 reads, 2.0 s");   // "trawl map: 10 reads, 2.0 s"
#pragma once

#include <tbb/global_control.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/work_options.hpp"
#include "io/stats/command_stats.hpp"
#include "io/stats/progress.hpp"

namespace trawl::cli {

class CommandRun {
 public:
  /// `name`: of the command. The arguments and `stats` must outlive it; fills in what CommandStats has.
  CommandRun(std::string name, const WorkArguments& arguments, io::CommandStats& stats);

  /// Throws UsageError where an output is an input, IoError where one cannot be written.
  void begin(const std::vector<std::string>& inputs, unsigned threads);
  /// A line on stderr.
  void say(const std::string& text) const;
  /// Notes the engine; says it where the user left the choice, and why it is not the preferred one.
  void say_engine(const std::string& description, const std::string& why);
  /// Closes the output, which is complete then; stops the clock.
  void end(const std::function<void()>& close, io::Progress& progress);
  /// Writes the statistics where the user wants them, and the closing line.
  void report(const std::string& stats_json, const std::string& summary) const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string name_;
  const WorkArguments& arguments_;
  io::CommandStats& stats_;
  std::optional<tbb::global_control> parallelism_;
};

/// "12.3 s", for the closing line.
std::string seconds_text(double seconds);

}  // namespace trawl::cli
