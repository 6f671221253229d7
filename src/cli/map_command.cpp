#include <CLI/CLI.hpp>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/map_options.hpp"
#include "cli/map_warnings.hpp"
#include "cli/mates_check.hpp"
#include "io/format/file_format.hpp"
#include "io/read/fasta_reader.hpp"
#include "io/read/read_input.hpp"
#include "io/report/igv_session.hpp"
#include "io/report/map_report.hpp"
#include "io/report/regions.hpp"
#include "io/report/report_page.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/multiqc.hpp"
#include "io/stats/progress.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/sam_header.hpp"
#include "io/write/sort/sorted_ranges.hpp"
#include "ranks/batch_dealer.hpp"
#include "ranks/cluster.hpp"
#include "ranks/range_exchange.hpp"
#include "ranks/shared_records.hpp"
#include "ranks/shared_reference.hpp"
#include "ranks/turns.hpp"
#include "run/batch_source.hpp"
#include "run/engine_choice.hpp"
#include "run/load_reference.hpp"
#include "run/map_pipeline.hpp"
#include "run/record_target.hpp"

namespace trawl::cli {

namespace {

// " (12.34%)"
std::string share(std::uint64_t part, std::uint64_t all) { return " (" + percent(part, all) + ")"; }

std::string pairs_text(const io::RunStats& stats, const map::Options& options) {
  const io::PairCounts& pairs = stats.pairs;
  if (pairs.total == 0) {
    return stats.insert.source.empty() ? "" : "0 pairs; ";
  }
  const auto left = [](bool never) { return never ? " (left unmapped)" : ""; };
  return counted(pairs.total, "pair") + ", " + std::to_string(pairs.concordant) + " concordant" +
         share(pairs.concordant, pairs.total) + ", " + std::to_string(pairs.discordant) + " discordant" +
         left(options.pairs.discordant == align::Discordant::never) + ", " + std::to_string(pairs.one_end) +
         " with one mate mapped" + left(!options.one_end) + "; ";
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

std::string summary(const io::RunStats& stats, const map::Options& options) {
  std::string text = pairs_text(stats, options) + counted(stats.reads, "read") + ", " + std::to_string(stats.mapped) +
                     " mapped" + share(stats.mapped, stats.reads) + ", " + counted(stats.alignments, "alignment") +
                     ", " + seconds_text(stats.wall_seconds);
  if (stats.clipped.reads > 0) {
    text += "; " + counted(stats.clipped.reads, "read") + " clipped" + share(stats.clipped.reads, stats.reads);
    if (stats.clipped.supplementary_records > 0) {
      text += ", " + counted(stats.clipped.supplementary_records, "supplementary record");
    }
  }
  if (stats.unmapped_too_short > 0) {
    text += "; " + counted(stats.unmapped_too_short, "read") +
            " left unmapped: too short for these edits (see --min-length)";
  }
  if (stats.edits_limited.count > 0) {
    text += "; " + counted(stats.edits_limited.count, "read") + " searched with " + std::to_string(map::kMaxEdits) +
            " edits only";
  }
  if (stats.dropped > 0) {
    text += "; " +
            (stats.pairs.total > 0 ? counted(stats.dropped, "record") : counted(stats.dropped, "locus", "loci")) +
            " of " + counted(stats.reads_with_dropped, "read") + " dropped by --max-hits";
  }
  return text;
}

bool is_bgzf(io::OutputFormat format) { return format == io::OutputFormat::bam || format == io::OutputFormat::bed_gz; }

// `fasta`: the name of the reference in the header.
io::SinkOptions sink_options(const MapArguments& arguments, const map::Options& options, const std::string& fasta) {
  io::SinkOptions sink;
  sink.path = arguments.output;
  sink.format = output_format(arguments);
  sink.read_group = arguments.read_group;
  sink.command_line = canonical_command_line(arguments, fasta);
  sink.version = version();
  if (sink.format == io::OutputFormat::cram) {
    sink.reference_url = reference_for_htslib(fasta);
  }
  sink.keep_unmapped = arguments.unmapped == "keep";
  sink.hard_clips = options.clip.hard;
  sink.secondary_bases = arguments.secondary_seq;
  sink.mate_fields = arguments.mate_fields == "primary" ? io::MateFields::primary : io::MateFields::paired;
  sink.divet_path = arguments.divet;
  sink.oea_path = arguments.oea;
  sink.orientation = options.pairs.orientation;
  sink.threads = options.threads;
  sink.compression_level = compression_level(arguments, is_bgzf(output_format(arguments)));
  return sink;
}

// How many threads wait for other ranks: for a batch, for a place, and for the turn to write. They need no core.
constexpr unsigned kThreadsForOthers = 3;

// What the options mean, checked.
struct Setup {
  map::Options options;
  io::ReadInput::Files files;
  std::optional<run::InsertRange> inserts;
  io::OutputFormat format = io::OutputFormat::sam;
  std::optional<std::uint64_t> memory_to_sort;
  std::optional<run::MapChoice> choice;
  std::vector<io::NamedRegion> regions;  // --report-regions
  std::string genome;                    // with --igv-session, on the first rank: the FASTA
};

Setup check_and_begin(const MapArguments& arguments, CommandRun& run, const ranks::Cluster& cluster) {
  Setup setup;
  setup.options = map_options(arguments);
  setup.files = read_files(arguments);
  setup.inserts = insert_range(arguments);
  setup.format = output_format(arguments);
  if (arguments.eqx && setup.format == io::OutputFormat::cram) {
    throw UsageError("--eqx: CRAM does not keep = and X; write .bam or .sam, or leave --eqx out");
  }
  if (!arguments.divet.empty()) {
    io::extension_of(arguments.divet, {".vh"}, "DIVET");
  }
  if (!arguments.oea.empty()) {
    io::extension_of(arguments.oea, {".sam"}, "SAM");
  }
  setup.memory_to_sort = sort_memory(arguments);
  io::parse_read_group(arguments.read_group);
  if (!arguments.report_regions.empty()) {
    if (arguments.report_html.empty()) {
      throw UsageError("--report-regions says what the page of --report-html shows; name one");
    }
    setup.regions = io::parse_regions(arguments.report_regions);
  }
  if (!arguments.igv_session.empty() && cluster.is_first()) {
    setup.genome = run::fasta_file(arguments.reference);
    io::check_igv_session(setup.genome, arguments.output, arguments.sort);
  }
  share_node(cluster, arguments, setup.options);
  setup.choice.emplace(arguments.engine, setup.options);
  auto inputs = setup.files.reads;
  inputs.insert(inputs.end(), setup.files.mates.begin(), setup.files.mates.end());
  inputs.push_back(arguments.reference);
  std::vector<NamedOutput> more_outputs = index_outputs(arguments);
  more_outputs.insert(more_outputs.end(), {{"--divet", arguments.divet}, {"--oea", arguments.oea}});
  run.begin(inputs, setup.options.threads, more_outputs);
  if (setup.memory_to_sort) {
    io::NamelessFile("sorted records");  // an error now, not when the memory is full
  }
  setup.files.elsewhere = !cluster.is_first();
  return setup;
}

// The insert sizes that the first rank has found, on all ranks.
align::InsertModel share_inserts(ranks::Cluster& cluster, align::InsertModel inserts, io::RunStats& stats) {
  cluster.broadcast({reinterpret_cast<char*>(&inserts), sizeof inserts});
  if (!cluster.is_first()) {
    stats.pairs.inserts = io::Histogram(inserts.min, inserts.max);
  }
  return inserts;
}

// Maps the batches of all ranks. Afterwards the statistics of the first rank are those of all.
void map_with_others(ranks::Cluster& cluster, io::ReadInput& input, engine::Engine& engine, ranks::SharedOutput& output,
                     const map::Options& options, const MapArguments& arguments, const CommandRun& run,
                     io::Progress& progress, io::RunStats& stats, io::MapReport* report) {
  const auto fail = [&](const std::string& error) { run.fail_everywhere(error); };
  {
    ranks::Turns turns(cluster, ranks::kRecordChains,
                       {[&](std::string_view parcel) { output.sink().write_parcel(parcel); }, fail});
    ranks::SharedRecords records(cluster, output, turns, out_of_memory_text(arguments));
    std::optional<ranks::BatchDealer> dealer;
    std::optional<ranks::DealtBatches> dealt;
    run::BatchSource* source = nullptr;
    if (cluster.is_first()) {
      source = &dealer.emplace(cluster, input, turns, fail, options.threads);
    } else {
      source = &dealt.emplace(cluster, input);
    }
    run::run_map_pipeline(*source, engine, records, options, arguments.batch_size, progress, stats, report);
    cluster.barrier();
    if (cluster.is_first()) {
      records.end(dealer->batches());
      input.check_end();
    }
  }
  if (output.ranges() != nullptr) {
    Stopwatch watch;
    ranks::exchange_ranges(cluster, output,
                           {.threads = options.threads, .out_of_memory = out_of_memory_text(arguments), .fail = fail});
    watch.lap(stats.sort->merge_seconds);
    stats.seconds["write"] += stats.sort->merge_seconds;
    std::uint64_t spilled = output.ranges()->spilled_bytes();
    cluster.sum({&spilled, 1});
    stats.sort->spilled_bytes = spilled;
  }
  if (output.all_write()) {
    output.sink().check_written();
  }

  io::CommandStats::Rank mine{.host = cluster.host(),
                              .engine = stats.engine,
                              .threads = stats.threads,
                              .done = stats.reads,
                              .seconds = stats.seconds,
                              .peak_resident_bytes = io::peak_resident_bytes(),
                              .messages_sent = cluster.sent().messages,
                              .bytes_sent = cluster.sent().bytes};
  Packer packed;
  mine.pack(packed);
  stats.pack(packed);
  packed.number(stats.clip_limited).number(stats.many_edits).number(stats.many_ambiguous);
  packed.number(stats.edits_limited.count).number(stats.edits_limited.batch).text(stats.edits_limited.first);
  if (report != nullptr && !cluster.is_first()) {
    report->pack(packed);
  }
  const std::vector<std::string> all = cluster.gather(packed.bytes());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Unpacker from(all[rank]);
    stats.ranks.emplace_back().unpack(from);
    if (rank > 0) {
      stats.add_packed(from);
      stats.clip_limited += from.number<std::uint64_t>();
      stats.many_edits += from.number<std::uint64_t>();
      stats.many_ambiguous += from.number<std::uint64_t>();
      io::LimitedReads limited;
      limited.count = from.number<std::uint64_t>();
      limited.batch = from.number<std::uint64_t>();
      limited.first = from.text();
      stats.edits_limited += limited;
      if (report != nullptr) {
        report->add_packed(from);
      }
    }
  }
}

// --report-html and --igv-session. `fasta`: the name of the reference.
void write_reports(const MapArguments& arguments, const Setup& setup, io::MapReport& report, const io::RunStats& stats,
                   const std::string& fasta) {
  if (!arguments.report_html.empty()) {
    io::RunFiles named{fasta, setup.files.reads, arguments.output};
    named.inputs.insert(named.inputs.end(), setup.files.mates.begin(), setup.files.mates.end());
    io::write_report_page(io::map_report_json(report, stats, named, arguments.ambiguous == "match"),
                          arguments.report_html);
  }
  if (!arguments.igv_session.empty()) {
    io::IgvSession session{setup.genome, arguments.output, {}};
    for (const io::Window& window : report.windows().chosen()) {
      session.regions.push_back(
          {report.reference().contigs()[window.place.contig].name, window.place.begin, window.place.end});
    }
    io::write_igv_session(session, arguments.igv_session);
  }
}

void run_map(const MapArguments& arguments, ranks::Cluster& cluster) {
  io::RunStats stats;
  CommandRun run("map", arguments, stats, &cluster);
  Setup setup;
  cluster.together([&] { setup = check_and_begin(arguments, run, cluster); });
  const map::Options& options = setup.options;
  const io::ReadInput::Files& files = setup.files;
  const io::OutputFormat format = setup.format;
  run::MapChoice& choice = *setup.choice;

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
  std::optional<io::ReadInput> opened;
  cluster.together([&] { opened.emplace(files, options.threads); });
  io::ReadInput& input = *opened;
  run::LoadedReference loaded = ranks::load_shared_reference(arguments.reference, options.threads, cluster);
  const sequence::Reference& reference = loaded.reference;
  for (const auto& warning : loaded.warnings) {
    run.say(warning);
  }
  watch.lap(stats.seconds["reference"]);

  io::SinkOptions outputs = sink_options(arguments, options, loaded.fasta);
  // Computed while the index is built. With one thread, computed when the header needs them.
  auto md5s = std::async(options.threads > 1 ? std::launch::async : std::launch::deferred,
                         [&, needed = io::needs_md5s(outputs) && loaded.md5s.empty() && cluster.is_first()] {
                           return needed ? io::contig_md5s(reference) : loaded.md5s;
                         });
  std::unique_ptr<engine::Engine> engine;
  cluster.together([&] { warm_up.get(); });
  if (!cluster.is_alone() && !loaded.seeds && choice.name() == "cpu") {
    const unsigned of_node = options.threads * cluster.local_size();  // the other ranks wait
    run.use_threads(of_node);
    loaded.seeds = ranks::share_seeds(reference, of_node, cluster);
  }
  cluster.together([&] { engine = choice.make(reference, loaded.seeds); });
  run.say_engine(engine->description(), choice.why());
  if (choice.name() == "cpu") {
    say_unless_empty(saved_index_hint(arguments.reference));
  }
  run.use_threads(options.threads + engine->waiting_threads() + (cluster.is_alone() ? 0 : kThreadsForOthers));
  stats.contigs = reference.contigs().size();
  stats.reference_bases = reference.bases();
  watch.lap(stats.seconds["index"]);

  if (input.paired()) {
    cluster.together([&] {
      if (cluster.is_first()) {
        outputs.inserts = run::find_inserts(input, *engine, options, setup.inserts, arguments.batch_size, stats);
      }
    });
    outputs.inserts = share_inserts(cluster, outputs.inserts, stats);
    engine->set_inserts(outputs.inserts);
    say_unless_empty(run::insert_text(stats.insert));
    say_unless_empty(run::insert_warning(stats.insert, options.pairs.orientation));
    watch.lap(stats.seconds["inserts"]);
  }

  std::optional<io::MapReport> report;
  cluster.together([&] {
    if (!arguments.report_html.empty() || !arguments.igv_session.empty()) {
      report.emplace(reference, io::find_regions(setup.regions, reference.contigs()));
    }
  });
  io::MapReport* const to_report = report ? &*report : nullptr;

  io::Progress progress(run.shows_progress(), input.total_bytes());
  if (setup.memory_to_sort) {
    outputs.sort = {.memory = *setup.memory_to_sort,
                    .progress = [&](double share) { progress.show_phase("sorting", share); },
                    .stats = &stats.sort.emplace()};
  }
  ranks::SharedOutput output(cluster, outputs, reference, md5s.get());
  say_unless_empty(output.warning());
  watch.lap(stats.seconds["header"]);

  if (cluster.is_alone()) {
    try {
      run::InputBatches source(input);
      run::SinkRecords records(output.sink());
      run::run_map_pipeline(source, *engine, records, options, arguments.batch_size, progress, stats, to_report);
      input.check_end();
    } catch (const std::bad_alloc&) {
      throw Error(out_of_memory_text(arguments));
    }
  } else {
    map_with_others(cluster, input, *engine, output, options, arguments, run, progress, stats, to_report);
  }
  if (!cluster.is_first()) {
    return;
  }
  run.end([&] { output.sink().close(); }, progress);
  say_unless_empty(few_concordant_warning(stats.pairs));
  if (stats.reads == 0) {
    run.say("warning: the input has no reads");
  }
  say_unless_empty(many_edits_warning(arguments.max_edits, stats.many_edits, stats.reads));
  say_unless_empty(edits_limited_warning(arguments.max_edits, stats.edits_limited, stats.reads));
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
  if (report) {
    write_reports(arguments, setup, *report, stats, loaded.fasta);
  }
  run.report(io::stats_json(stats), summary(stats, options));
  say_unless_empty(few_mapped_hint(stats, arguments.max_edits, options));
}

}  // namespace

void add_map_command(CLI::App& app, Command& run, const std::string& typed) {
  add_command<MapArguments>(app, "map", "Map reads: every place within an edit distance", run, typed, run_map);
}

}  // namespace trawl::cli
