#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <future>
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "cli/commands.hpp"
#include "cli/map_options.hpp"
#include "cli/map_pipeline.hpp"
#include "cli/output_check.hpp"
#include "cli/signals.hpp"
#include "engine/engine.hpp"
#include "io/in/fasta_reader.hpp"
#include "io/in/read_source.hpp"
#include "io/out/alignment_sink.hpp"
#include "io/out/sam_header.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"

namespace trawl::cli {

namespace {

void print_summary(const io::RunStats& stats) {
  const double percent =
      stats.reads == 0 ? 0 : 100.0 * static_cast<double>(stats.mapped) / static_cast<double>(stats.reads);
  std::fprintf(stderr, "trawl map: %llu reads, %llu mapped (%.2f%%), %llu alignments, %.1f s",
               static_cast<unsigned long long>(stats.reads), static_cast<unsigned long long>(stats.mapped), percent,
               static_cast<unsigned long long>(stats.alignments), stats.wall_seconds);
  if (stats.unmapped_too_short > 0) {
    std::fprintf(stderr, "; %llu reads not longer than the allowed edits were left unmapped",
                 static_cast<unsigned long long>(stats.unmapped_too_short));
  }
  if (stats.dropped > 0) {
    std::fprintf(stderr, "; %llu loci of %llu reads dropped by --max-hits",
                 static_cast<unsigned long long>(stats.dropped),
                 static_cast<unsigned long long>(stats.reads_with_dropped));
  }
  std::fputc('\n', stderr);
}

void run_map(const MapArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const map::Options options = map_options(arguments);
  const auto paths = read_paths(arguments);
  const io::OutputFormat format = io::output_format(arguments.output);
  if (arguments.eqx && format == io::OutputFormat::cram) {
    throw UsageError("--eqx: CRAM does not keep = and X; write .bam or .sam, or leave --eqx out");
  }
  io::parse_read_group(arguments.read_group);
  engine::EngineChoice choice(arguments.engine, options);
  auto inputs = paths;
  inputs.push_back(arguments.reference);
  remove_output_on_signals();
  check_outputs(inputs, arguments.output, arguments.stats);
  const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, options.threads);

  io::RunStats stats;
  stats.version = TRAWL_VERSION;
  stats.command_line = arguments.command_line;
  stats.threads = options.threads;

  Stopwatch watch;
  auto warm_up = std::async(std::launch::async, [&] { choice.warm_up(); });
  // The pipeline says how many reads and bases make a batch, as it goes.
  io::ReadSource source(paths, io::kReadsPerBatch, io::kBasesPerBatch, options.threads);
  std::vector<std::string> warnings;
  const sequence::Reference reference = io::read_reference(arguments.reference, &warnings);
  for (const auto& warning : warnings) {
    std::cerr << "trawl map: " << warning << '\n';
  }
  watch.lap(stats.seconds["reference"]);

  const bool with_md5s =
      format == io::OutputFormat::sam || format == io::OutputFormat::bam || format == io::OutputFormat::cram;
  // Beside the index; one thread makes them when the header needs them.
  auto md5s = std::async(options.threads > 1 ? std::launch::async : std::launch::deferred,
                         [&] { return with_md5s ? io::contig_md5s(reference) : std::vector<std::string>{}; });
  warm_up.get();
  const auto engine = choice.make(reference);
  if (arguments.engine == "auto") {
    std::cerr << "trawl map: engine " << engine->description() << (choice.why().empty() ? "" : ": " + choice.why())
              << '\n';
  }
  stats.engine = engine->description();
  stats.contigs = reference.contigs().size();
  stats.reference_bases = reference.bases();
  watch.lap(stats.seconds["index"]);

  io::SinkOptions sink_options;
  sink_options.path = arguments.output;
  sink_options.read_group = arguments.read_group;
  sink_options.command_line = canonical_command_line(arguments);
  sink_options.version = TRAWL_VERSION;
  sink_options.keep_unmapped = arguments.unmapped == "keep";
  sink_options.threads = options.threads;
  const auto sink = io::make_sink(sink_options, reference, md5s.get());
  watch.lap(stats.seconds["header"]);

  io::Progress progress(arguments.progress == "auto", source.total_bytes());
  run_map_pipeline(source, *engine, *sink, options.threads, arguments.batch_size, progress, stats);
  Stopwatch closing;
  sink->close();
  output_is_kept();
  closing.lap(stats.seconds["write"]);
  progress.finish();

  stats.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!arguments.stats.empty()) {
    io::write_stats_json(stats, arguments.stats);
  }
  print_summary(stats);
}

}  // namespace

void add_map_command(CLI::App& app, Command& run, const std::string& typed) {
  auto* command = app.add_subcommand("map", "Align reads: every locus within an edit distance");
  auto arguments = std::make_shared<MapArguments>();
  arguments->command_line = typed;
  declare(*command, *arguments);
  command->callback([arguments, &run] { run = [arguments] { run_map(*arguments); }; });
}

}  // namespace trawl::cli
