#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/pattern_check.hpp"
#include "cli/scan_options.hpp"
#include "cli/scan_pipeline.hpp"
#include "engine/registry.hpp"
#include "io/in/fasta_chunks.hpp"
#include "io/in/input_file.hpp"
#include "io/index/saved_index.hpp"
#include "io/out/scan_sink.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "scan/query.hpp"
#include "scan/report/site.hpp"

namespace trawl::cli {

namespace {

std::string summary(const io::ScanStats& stats, const scan::Options& options) {
  const std::string not_searched =
      stats.patterns_not_searched > 0 ? std::to_string(stats.patterns_not_searched) + " not searched, " : "";
  return std::to_string(stats.patterns) + " patterns, " + not_searched + std::to_string(stats.reference_bases) +
         " bases, " + std::to_string(stats.records) + (options.report == scan::Report::ends ? " ends, " : " loci, ") +
         seconds_text(stats.wall_seconds);
}

void run_scan(const ScanArguments& arguments) {
  io::ScanStats stats;
  CommandRun run("scan", arguments, stats);
  const scan::Options options = scan_options(arguments);
  const io::ScanFormat format = io::scan_format(arguments.output);
  const int level = compression_level(arguments, format == io::ScanFormat::bed_gz);
  engine::ScanChoice choice(arguments.engine, options);
  std::vector<std::string> inputs{arguments.reference};
  if (!arguments.pattern_file.empty()) {
    inputs.push_back(arguments.pattern_file);
  }
  run.begin(inputs, options.threads);
  if (io::is_saved_index(arguments.reference)) {
    throw Error(arguments.reference + " is a saved index, which only trawl map uses; give its FASTA: " +
                io::open_saved_index(arguments.reference).fasta.path);
  }

  const auto patterns = read_patterns(arguments);
  stats.patterns = patterns.size();
  for (const auto& warning : pattern_warnings(patterns, options)) {
    run.say(warning);
  }
  for (const auto& pattern : patterns) {
    const bool searched = !scan::matches_everywhere(pattern, options.max_edits);
    stats.patterns_not_searched += searched ? 0 : 1;
    stats.records_by_pattern.push_back({pattern.name, searched, std::vector<std::uint64_t>(options.max_edits + 1)});
  }
  const auto queries = scan::make_queries(patterns, options);
  const auto reference_bytes = io::file_size(arguments.reference);
  const auto finder = choice.make(queries, reference_bytes);
  run.say_engine(finder->description(), choice.why());

  io::ChunkOptions chunk_options;
  if (arguments.chunk_size > 0) {
    chunk_options.bases = arguments.chunk_size;
  }
  chunk_options.overlap = scan::SiteFinder(queries, options).overlap();
  chunk_options.with_md5 = format == io::ScanFormat::sam;
  const auto chunks = std::make_shared<io::FastaChunks>(arguments.reference, chunk_options,
                                                        io::TextBlocks::Options{.threads = options.threads});

  auto with_pam = patterns;
  for (auto& pattern : with_pam) {
    pattern.bases = options.pam.is_last ? pattern.bases + options.pam.bases : options.pam.bases + pattern.bases;
  }
  io::ScanSink sink({arguments.output, canonical_command_line(arguments), version(), options.threads, level}, with_pam);
  io::Progress progress(arguments.progress == "auto", reference_bytes, "bases");
  ChunkSize size(queries.size());
  run_scan_pipeline(chunks, *finder, queries, options, sink, progress, stats,
                    arguments.chunk_size > 0 ? nullptr : &size);
  if (const std::string warning = chunks->warning(); !warning.empty()) {
    run.say(warning);
  }
  run.end([&] { sink.close(chunks->contigs(), chunks->md5s()); }, progress);
  run.report(io::stats_json(stats), summary(stats, options));
}

}  // namespace

void add_scan_command(CLI::App& app, Command& run, const std::string& typed) {
  add_command<ScanArguments>(app, "scan", "Search patterns: every place within an edit distance, with no index", run,
                             typed, run_scan);
}

}  // namespace trawl::cli
