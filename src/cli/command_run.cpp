#include "cli/command_run.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "cli/signals.hpp"
#include "io/out/output_file.hpp"
#include "io/stats/multiqc.hpp"

namespace trawl::cli {

CommandRun::CommandRun(std::string name, const WorkArguments& arguments, io::CommandStats& stats,
                       cluster::Cluster* cluster)
    : name_(std::move(name)), arguments_(arguments), stats_(stats), cluster_(cluster) {
  stats_.version = version();
  stats_.command_line = arguments.command_line;
}

void CommandRun::begin(const std::vector<std::string>& inputs, unsigned threads,
                       const std::vector<NamedOutput>& outputs) {
  const bool is_first = cluster_ == nullptr || cluster_->is_first();
  remove_output_on_signals(is_first ? "trawl " + name_ : "");
  if (cluster_ != nullptr) {
    cluster_->set_clean_up([] {
      error_is_said();
      io::remove_temporaries();
    });
  }
  if (is_first) {
    std::vector<NamedOutput> all = {{"-o", arguments_.output}, {"--stats", arguments_.stats}};
    if (!arguments_.multiqc.empty()) {
      for (const std::string& path : io::multiqc_files(arguments_.multiqc)) {
        all.push_back({"--multiqc", path});
      }
    }
    all.insert(all.end(), outputs.begin(), outputs.end());
    check_outputs(inputs, all);
  }
  stats_.threads = threads;
  parallelism_.emplace(tbb::global_control::max_allowed_parallelism, threads);
}

void CommandRun::say(const std::string& text) const {
  if (cluster_ == nullptr || cluster_->is_first()) {
    std::cerr << "trawl " + name_ + ": " + text + "\n";
  }
}

void CommandRun::fail_everywhere(const std::string& error) const {
  say(error);
  error_is_said();
  if (cluster_ != nullptr) {
    cluster_->abort(1);
  }
  std::_Exit(1);
}

void CommandRun::say_engine(const std::string& description, const std::string& why) {
  stats_.engine = description;
  if (arguments_.engine == "auto") {
    say("engine " + description + (why.empty() ? "" : ": " + why));
  }
}

void CommandRun::end(const std::function<void()>& close, io::Progress& progress) {
  Stopwatch closing;
  close();
  output_is_kept();
  closing.lap(stats_.seconds["write"]);
  progress.finish();
  stats_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void CommandRun::report(const std::string& stats_json, const std::string& summary) const {
  report([&](const std::string& path) { io::write_stats_text(stats_json, path); }, summary);
}

void CommandRun::report(const std::function<void(const std::string&)>& write_stats, const std::string& summary) const {
  if (!arguments_.stats.empty()) {
    write_stats(arguments_.stats);
  }
  say(summary);
}

std::string seconds_text(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

}  // namespace trawl::cli
