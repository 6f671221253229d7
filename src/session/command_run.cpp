#include "session/command_run.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iostream>

#include "base/counted.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/stats/multiqc.hpp"
#include "io/write/output_file.hpp"
#include "session/signals.hpp"

namespace trawl::session {

namespace {

// " 12.3 MB"; empty if it is not known, as for a pipe.
std::string bytes_text(std::optional<std::uint64_t> bytes) {
  char text[64] = "";
  if (bytes) {
    std::snprintf(text, sizeof text, " %.1f MB", static_cast<double>(*bytes) / 1e6);
  }
  return text;
}

}  // namespace

void CommandRun::begin(const cli::WorkArguments& arguments, io::CommandStats& stats,
                       const std::vector<std::string>& inputs, unsigned threads,
                       const std::vector<cli::NamedOutput>& outputs) {
  arguments_ = &arguments;
  stats_ = &stats;
  stats.version = version();
  stats.command_line = typed_;
  remove_output_on_signals(cluster_.is_first() ? "trawl " + name_ : "");
  cluster_.set_clean_up([] {
    error_is_said();
    io::remove_temporaries();
  });
  if (cluster_.is_first()) {
    std::vector<cli::NamedOutput> all = {{"-o", arguments.output},
                                         {"--stats", arguments.stats},
                                         {"--report-html", arguments.report_html},
                                         {"--igv-session", arguments.igv_session}};
    if (!arguments.multiqc.empty()) {
      for (const std::string& path : io::multiqc_files(arguments.multiqc)) {
        all.push_back({"--multiqc", path});
      }
    }
    all.insert(all.end(), outputs.begin(), outputs.end());
    cli::check_outputs(inputs, all);
  }
  stats.threads = threads;
  say(cli::fewer_threads_text(arguments));
  if (arguments.verbose) {
    say("version " + std::string(version()) + ": " + typed_);
    for (const std::string& input : inputs) {
      say("input " + io::display_name(input) + bytes_text(io::file_size(input)));
    }
    say("output " + (arguments.output == "-" ? "on stdout" : arguments.output) + ", " + counted(threads, "thread"));
  }
  parallelism_.emplace(tbb::global_control::max_allowed_parallelism, threads);
}

void CommandRun::say(const std::string& text) const {
  if (!text.empty() && !arguments_->quiet && cluster_.is_first()) {
    std::cerr << for_terminal("trawl " + name_ + ": " + text) + "\n";
  }
}

void CommandRun::warn(const std::string& text) {
  ++warnings_;
  say(warning_line(text));
}

void CommandRun::warn_all(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) {
      warn(text);
    }
  }
}

ranks::RunEnd CommandRun::run_end(const std::string& out_of_memory) const {
  const auto say = [name = name_](const std::string& error) {
    std::cerr << for_terminal("trawl " + name + ": " + error) + "\n";
    error_is_said();
  };
  return {cluster_, say, out_of_memory};
}

io::CommandStats::Rank CommandRun::of_this_rank(std::uint64_t done) const {
  const ranks::Cluster::Traffic sent = cluster_.sent();
  return {.host = cluster_.host(),
          .engine = stats_->engine,
          .threads = stats_->threads,
          .done = done,
          .seconds = stats_->seconds,
          .peak_resident_bytes = io::peak_resident_bytes(),
          .messages_sent = sent.messages,
          .bytes_sent = sent.bytes};
}

void CommandRun::say_engine(const std::string& description, const std::string& why) {
  stats_->engine = description;
  if (arguments_->engine == "auto" || arguments_->verbose) {
    say("engine " + description + (why.empty() ? "" : ": " + why));
  }
}

void CommandRun::end(const std::function<void()>& close, io::Progress& progress) {
  Stopwatch closing;
  close();
  output_is_kept();
  closing.lap(stats_->seconds["write"]);
  progress.finish();
  stats_->wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void CommandRun::report(const std::string& stats_json, const std::string& summary) const {
  report([&](const std::string& path) { io::write_stats_text(stats_json, path); }, summary);
}

void CommandRun::report(const std::function<void(const std::string&)>& write_stats, const std::string& summary) const {
  if (!arguments_->stats.empty()) {
    write_stats(arguments_->stats);
  }
  if (arguments_->verbose) {
    std::string times;
    for (const auto& [phase, seconds] : stats_->seconds) {
      times += (times.empty() ? "" : ", ") + phase + ' ' + seconds_text(seconds);
    }
    say("times: " + (times.empty() ? "none" : times) + "; peak memory" + bytes_text(io::peak_resident_bytes()));
  }
  say(with_warnings(summary, warnings_));
}

std::string for_terminal(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c != '\n' && std::iscntrl(c) != 0; }, '?');
  return text;
}

std::string warning_line(const std::string& text) { return (text.starts_with("warning: ") ? "" : "warning: ") + text; }

std::string with_warnings(const std::string& summary, std::uint64_t warnings) {
  return summary + (warnings > 0 ? "; " + counted(warnings, "warning") + " above" : "");
}

void share_node(const ranks::Cluster& cluster, const cli::WorkArguments& a, WorkOptions& options) {
  if (a.threads == 0) {
    options.threads = std::min(options.threads, cluster.cores());
  }
  options.process = cluster.local_rank();
  options.processes = cluster.local_size();
}

}  // namespace trawl::session
