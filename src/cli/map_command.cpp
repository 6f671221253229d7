#include <CLI/CLI.hpp>
#include <cstdio>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/load_reference.hpp"
#include "cli/map_options.hpp"
#include "cli/map_pipeline.hpp"
#include "cli/map_warnings.hpp"
#include "cli/mates_check.hpp"
#include "engine/registry.hpp"
#include "io/in/fasta_reader.hpp"
#include "io/in/read_input.hpp"
#include "io/out/alignment_sink.hpp"
#include "io/out/file_format.hpp"
#include "io/out/nameless_file.hpp"
#include "io/out/sam_header.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/multiqc.hpp"
#include "io/stats/progress.hpp"

namespace trawl::cli {

namespace {

// "12.34%"
std::string percent(std::uint64_t part, std::uint64_t all) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%%",
                all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all));
  return text;
}

// " (12.34%)"
std::string share(std::uint64_t part, std::uint64_t all) { return " (" + percent(part, all) + ")"; }

std::string pairs_text(const io::RunStats& stats, align::Discordant discordant) {
  const io::PairCounts& pairs = stats.pairs;
  if (pairs.total == 0) {
    return stats.insert.source.empty() ? "" : "0 pairs; ";
  }
  return std::to_string(pairs.total) + " pairs, " + std::to_string(pairs.concordant) + " concordant" +
         share(pairs.concordant, pairs.total) + ", " + std::to_string(pairs.discordant) + " discordant" +
         (discordant == align::Discordant::never ? " (left unmapped)" : "") + ", " + std::to_string(pairs.one_end) +
         " with one mate mapped; ";
}

// If so few of many pairs are concordant, the files or the options are probably wrong.
std::string few_concordant_warning(const io::PairCounts& pairs) {
  constexpr std::uint64_t kEnoughPairs = 1000;
  const std::uint64_t both_mapped = pairs.concordant + pairs.discordant;
  if (both_mapped < kEnoughPairs || 10 * pairs.concordant >= both_mapped) {
    return "";
  }
  return "warning: only " + percent(pairs.concordant, both_mapped) +
         " of the pairs with both mates mapped are concordant; are the files mates of each other, and is "
         "--orientation right?";
}

std::string summary(const io::RunStats& stats, align::Discordant discordant) {
  std::string text = pairs_text(stats, discordant) + std::to_string(stats.reads) + " reads, " +
                     std::to_string(stats.mapped) + " mapped" + share(stats.mapped, stats.reads) + ", " +
                     std::to_string(stats.alignments) + " alignments, " + seconds_text(stats.wall_seconds);
  if (stats.clipped.reads > 0) {
    text += "; " + std::to_string(stats.clipped.reads) + " reads clipped" + share(stats.clipped.reads, stats.reads);
    if (stats.clipped.supplementary_records > 0) {
      text += ", " + std::to_string(stats.clipped.supplementary_records) + " supplementary records";
    }
  }
  if (stats.unmapped_too_short > 0) {
    text +=
        "; " + std::to_string(stats.unmapped_too_short) + " reads not longer than the allowed edits were left unmapped";
  }
  if (stats.dropped > 0) {
    text += "; " + std::to_string(stats.dropped) + (stats.pairs.total > 0 ? " records of " : " loci of ") +
            std::to_string(stats.reads_with_dropped) + " reads dropped by --max-hits";
  }
  return text;
}

bool is_bgzf(io::OutputFormat format) { return format == io::OutputFormat::bam || format == io::OutputFormat::bed_gz; }

// `fasta`: the name of the reference in the header.
io::SinkOptions sink_options(const MapArguments& arguments, const map::Options& options, const std::string& fasta) {
  io::SinkOptions sink;
  sink.path = arguments.output;
  sink.read_group = arguments.read_group;
  sink.command_line = canonical_command_line(arguments, fasta);
  sink.version = version();
  sink.keep_unmapped = arguments.unmapped == "keep";
  sink.hard_clips = options.clip.hard;
  sink.mate_fields = arguments.mate_fields == "primary" ? io::MateFields::primary : io::MateFields::paired;
  sink.divet_path = arguments.divet;
  sink.oea_path = arguments.oea;
  sink.orientation = options.pairs.orientation;
  sink.threads = options.threads;
  sink.compression_level = compression_level(arguments, is_bgzf(io::output_format(arguments.output)));
  return sink;
}

void run_map(const MapArguments& arguments) {
  io::RunStats stats;
  CommandRun run("map", arguments, stats);
  const map::Options options = map_options(arguments);
  const io::ReadInput::Files files = read_files(arguments);
  const std::optional<InsertRange> inserts = insert_range(arguments);
  const io::OutputFormat format = io::output_format(arguments.output);
  if (arguments.eqx && format == io::OutputFormat::cram) {
    throw UsageError("--eqx: CRAM does not keep = and X; write .bam or .sam, or leave --eqx out");
  }
  if (!arguments.divet.empty()) {
    io::extension_of(arguments.divet, {".vh"}, "DIVET");
  }
  if (!arguments.oea.empty()) {
    io::extension_of(arguments.oea, {".sam"}, "SAM");
  }
  const std::optional<std::uint64_t> memory_to_sort = sort_memory(arguments);
  io::parse_read_group(arguments.read_group);
  engine::MapChoice choice(arguments.engine, options);
  auto inputs = files.reads;
  inputs.insert(inputs.end(), files.mates.begin(), files.mates.end());
  inputs.push_back(arguments.reference);
  std::vector<NamedOutput> more_outputs = index_outputs(arguments);
  more_outputs.insert(more_outputs.end(), {{"--divet", arguments.divet}, {"--oea", arguments.oea}});
  run.begin(inputs, options.threads, more_outputs);
  if (memory_to_sort) {
    io::NamelessFile("sorted records");  // an error now, not when the memory is full
  }

  const auto say_unless_empty = [&](const std::string& text) {
    if (!text.empty()) {
      run.say(text);
    }
  };
  if (files.mates.empty() && !files.interleaved) {
    say_unless_empty(unpaired_mates_warning(files.reads));
  }

  Stopwatch watch;
  auto warm_up = std::async(std::launch::async, [&] { choice.warm_up(); });
  // The pipeline sets the number of reads and bases per batch while it runs.
  io::ReadInput input(files, options.threads);
  LoadedReference loaded = load_reference(arguments.reference, options.threads);
  const sequence::Reference& reference = loaded.reference;
  for (const auto& warning : loaded.warnings) {
    run.say(warning);
  }
  watch.lap(stats.seconds["reference"]);

  io::SinkOptions outputs = sink_options(arguments, options, loaded.fasta);
  // Computed while the index is built. With one thread, computed when the header needs them.
  auto md5s = std::async(options.threads > 1 ? std::launch::async : std::launch::deferred,
                         [&, needed = io::needs_md5s(outputs) && loaded.md5s.empty()] {
                           return needed ? io::contig_md5s(reference) : loaded.md5s;
                         });
  warm_up.get();
  const auto engine = choice.make(reference, loaded.seeds);
  run.say_engine(engine->description(), choice.why());
  if (choice.name() == "cpu") {
    say_unless_empty(saved_index_hint(arguments.reference));
  }
  run.use_threads(options.threads + engine->waiting_threads());
  stats.contigs = reference.contigs().size();
  stats.reference_bases = reference.bases();
  watch.lap(stats.seconds["index"]);

  if (input.paired()) {
    outputs.inserts = find_inserts(input, *engine, options, inserts, arguments.batch_size, stats);
    engine->set_inserts(outputs.inserts);
    say_unless_empty(insert_text(stats.insert));
    say_unless_empty(insert_warning(stats.insert, options.pairs.orientation));
    watch.lap(stats.seconds["inserts"]);
  }

  io::Progress progress(arguments.progress == "auto", input.total_bytes());
  if (memory_to_sort) {
    outputs.sort = {.memory = *memory_to_sort,
                    .progress = [&](double share) { progress.show_phase("sorting", share); },
                    .stats = &stats.sort.emplace()};
  }
  const auto sink = io::make_sink(outputs, reference, md5s.get());
  watch.lap(stats.seconds["header"]);

  try {
    run_map_pipeline(input, *engine, *sink, options, arguments.batch_size, progress, stats);
  } catch (const std::bad_alloc&) {
    throw Error(out_of_memory_text(arguments));
  }
  run.end([&] { sink->close(); }, progress);
  say_unless_empty(few_concordant_warning(stats.pairs));
  say_unless_empty(clip_limit_warning(arguments.clip, stats.clip_limited, stats.reads));
  if (!arguments.sort) {
    say_unless_empty(old_index_warning(arguments.output, format));
  }
  if (format == io::OutputFormat::cram) {
    say_unless_empty(cram_reference_warning(arguments.output, loaded.fasta));
  }
  if (!arguments.multiqc.empty()) {
    io::write_multiqc(stats, arguments.multiqc);
  }
  run.report(io::stats_json(stats), summary(stats, options.pairs.discordant));
}

}  // namespace

void add_map_command(CLI::App& app, Command& run, const std::string& typed) {
  add_command<MapArguments>(app, "map", "Map reads: every place within an edit distance", run, typed, run_map);
}

}  // namespace trawl::cli
