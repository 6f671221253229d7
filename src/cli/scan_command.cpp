#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "cli/commands.hpp"
#include "cli/output_check.hpp"
#include "cli/pattern_check.hpp"
#include "cli/scan_engine.hpp"
#include "cli/scan_options.hpp"
#include "cli/scan_pipeline.hpp"
#include "cli/signals.hpp"
#include "io/in/byte_source.hpp"
#include "io/in/fasta_chunks.hpp"
#include "io/out/scan_sink.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "scan/query.hpp"
#include "scan/report/site.hpp"

namespace trawl::cli {

namespace {

void print_summary(const io::ScanStats& stats, const scan::Options& options) {
  const std::string not_searched =
      stats.patterns_not_searched > 0 ? std::to_string(stats.patterns_not_searched) + " not searched, " : "";
  std::fprintf(stderr, "trawl scan: %llu patterns, %s%llu bases, %llu %s, %.1f s\n",
               static_cast<unsigned long long>(stats.patterns), not_searched.c_str(),
               static_cast<unsigned long long>(stats.reference_bases), static_cast<unsigned long long>(stats.records),
               options.report == scan::Report::ends ? "ends" : "loci", stats.wall_seconds);
}

void run_scan(const ScanArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const scan::Options options = scan_options(arguments);
  const io::ScanFormat format = io::scan_format(arguments.output);
  remove_output_on_signals();
  std::vector<std::string> inputs{arguments.reference};
  if (!arguments.pattern_file.empty()) {
    inputs.push_back(arguments.pattern_file);
  }
  check_outputs(inputs, arguments.output, arguments.stats);
  const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, options.threads);

  io::ScanStats stats;
  stats.version = TRAWL_VERSION;
  stats.command_line = arguments.command_line;
  stats.threads = options.threads;

  const auto patterns = read_patterns(arguments);
  stats.patterns = patterns.size();
  stats.patterns_not_searched = warn_of_unsearched(patterns, options);
  for (const auto& warning : pattern_warnings(patterns, options)) {
    std::cerr << "trawl scan: " << warning << '\n';
  }
  for (const auto& pattern : patterns) {
    stats.records_by_pattern.push_back({pattern.name, !scan::matches_everywhere(pattern, options.max_edits),
                                        std::vector<std::uint64_t>(options.max_edits + 1)});
  }
  const auto queries = scan::make_queries(patterns, options);
  std::string why;
  const auto finder = make_finder(arguments.engine, queries, options, io::file_size(arguments.reference), why);
  stats.engine = finder->description();
  if (arguments.engine == "auto") {
    std::cerr << "trawl scan: engine " << stats.engine << (why.empty() ? "" : ": " + why) << '\n';
  }

  io::ChunkOptions chunk_options;
  if (arguments.chunk_size > 0) {
    chunk_options.bases = arguments.chunk_size;
  }
  chunk_options.overlap = scan::SiteFinder(queries, options).overlap();
  chunk_options.with_md5 = format == io::ScanFormat::sam;
  const auto chunks = std::make_shared<io::FastaChunks>(arguments.reference, chunk_options);

  auto with_pam = patterns;
  for (auto& pattern : with_pam) {
    pattern.bases = options.pam.is_last ? pattern.bases + options.pam.bases : options.pam.bases + pattern.bases;
  }
  io::ScanSink sink({arguments.output, canonical_command_line(arguments), TRAWL_VERSION, options.threads}, with_pam);
  io::Progress progress(arguments.progress == "auto", io::file_size(arguments.reference), "bases");
  ChunkSize size(queries.size());
  run_scan_pipeline(chunks, *finder, queries, options, sink, progress, stats,
                    arguments.chunk_size > 0 ? nullptr : &size);
  if (const std::string warning = chunks->warning(); !warning.empty()) {
    std::cerr << "trawl scan: " << warning << '\n';
  }
  Stopwatch closing;
  sink.close(chunks->contigs(), chunks->md5s());
  output_is_kept();
  closing.lap(stats.seconds["write"]);
  progress.finish();

  stats.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!arguments.stats.empty()) {
    io::write_stats_json(stats, arguments.stats);
  }
  print_summary(stats, options);
}

}  // namespace

void add_scan_command(CLI::App& app, Command& run, const std::string& typed) {
  auto* command = app.add_subcommand("scan", "Search patterns: every place within an edit distance, with no index");
  auto arguments = std::make_shared<ScanArguments>();
  arguments->command_line = typed;
  declare(*command, *arguments);
  command->callback([arguments, &run] { run = [arguments] { run_scan(*arguments); }; });
}

}  // namespace trawl::cli
