#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/load_reference.hpp"
#include "cli/pattern_check.hpp"
#include "cli/scan_options.hpp"
#include "cli/scan_pipeline.hpp"
#include "engine/registry.hpp"
#include "io/in/fasta_chunks.hpp"
#include "io/in/input_file.hpp"
#include "io/index/index_contigs.hpp"
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

// The reference, from a FASTA or from a saved index.
struct ScanText {
  std::unique_ptr<io::ContigSource> contigs;
  std::optional<std::uint64_t> bytes;  // how many will be consumed, if known
  std::string fasta;                   // its name: as given, or when the index was made
  std::vector<std::string> warnings;
};

ScanText open_text(const std::string& path, unsigned threads) {
  if (!io::is_saved_index(path)) {
    return {std::make_unique<io::FastaStream>(path, io::TextBlocks::Options{.threads = threads}),
            io::file_size(path),
            path,
            {}};
  }
  LoadedReference loaded = load_reference(path, threads);
  const std::uint64_t bases = loaded.reference.bases();
  return {std::make_unique<io::IndexContigs>(std::move(loaded.reference)), bases, std::move(loaded.fasta),
          std::move(loaded.warnings)};
}

// The patterns as they are searched.
scan::PatternList with_pam(const scan::PatternList& patterns, const scan::Pam& pam) {
  scan::PatternList all;
  for (const auto [name, bases] : patterns) {
    all.add(name, pam.is_last ? std::string(bases) + pam.bases : pam.bases + std::string(bases));
  }
  return all;
}

void scan_all(const ScanArguments& arguments) {
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

  Stopwatch watch;
  const auto patterns = read_patterns(arguments);
  watch.lap(stats.seconds["patterns"]);
  if (!arguments.memory.empty()) {
    check_memory(patterns, options, !arguments.stats.empty(), parse_bytes("--memory", arguments.memory));
  }
  stats.patterns = patterns.size();
  for (const auto& warning : pattern_warnings(patterns, options)) {
    run.say(warning);
  }
  watch.lap(stats.seconds["check"]);
  const auto queries = scan::make_queries(patterns, options);
  watch.lap(stats.seconds["queries"]);
  std::vector<bool> searched;
  for (const auto pattern : patterns) {
    searched.push_back(!scan::matches_everywhere(pattern, options.max_edits));
    stats.patterns_not_searched += searched.back() ? 0 : 1;
  }
  if (!arguments.stats.empty()) {
    stats.records_by_pattern.emplace(std::move(searched), options.max_edits);
  }
  ScanText text = open_text(arguments.reference, options.threads);
  for (const auto& warning : text.warnings) {
    run.say(warning);
  }
  watch.lap(stats.seconds["open"]);
  const auto finder = choice.make(queries, text.bytes);
  watch.lap(stats.seconds["tables"]);
  run.say_engine(finder->description(), choice.why());

  io::ChunkOptions chunk_options;
  if (arguments.chunk_size > 0) {
    chunk_options.bases = arguments.chunk_size;
  }
  chunk_options.overlap = scan::SiteFinder(queries, options).overlap();
  chunk_options.with_md5 = format == io::ScanFormat::sam;
  const auto chunks = std::make_shared<io::FastaChunks>(std::move(text.contigs), chunk_options, options.threads);

  io::ScanSink sink(
      {arguments.output, canonical_command_line(arguments, text.fasta), version(), options.threads, level},
      options.pam.bases.empty() ? patterns : with_pam(patterns, options.pam));
  io::Progress progress(arguments.progress == "auto", text.bytes, "bases");
  ChunkSize size(queries.size());
  run_scan_pipeline(chunks, *finder, queries, options, sink, progress, stats,
                    arguments.chunk_size > 0 ? nullptr : &size);
  if (const std::string warning = chunks->warning(); !warning.empty()) {
    run.say(warning);
  }
  run.end([&] { sink.close(chunks->contigs(), chunks->md5s()); }, progress);
  run.report([&](const std::string& path) { io::write_stats(stats, patterns, path); }, summary(stats, options));
}

// The reference is read piece by piece: the patterns are what memory can be too small for.
void run_scan(const ScanArguments& arguments) {
  try {
    scan_all(arguments);
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory: give fewer patterns at a time, fewer --threads, or a machine with more memory");
  }
}

}  // namespace

void add_scan_command(CLI::App& app, Command& run, const std::string& typed) {
  add_command<ScanArguments>(app, "scan", "Search patterns: every place within an edit distance, with no index", run,
                             typed, run_scan);
}

}  // namespace trawl::cli
