#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/stopwatch.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/options/map_options.hpp"
#include "cli/options/work_options.hpp"
#include "cli/program.hpp"
#include "io/read/bed_regions.hpp"
#include "io/stats/mappability_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/position_track.hpp"
#include "map/options.hpp"
#include "mappability/position_loci.hpp"
#include "mappability/word_counts.hpp"
#include "run/engine_choice.hpp"
#include "run/load_reference.hpp"
#include "run/mappability_pipeline.hpp"

namespace trawl::cli {

namespace {

// A longer read would hold many batches' worth of bases.
constexpr std::uint32_t kLongestRead = 100'000;

struct MappabilityArguments : WorkArguments {
  std::string reference;
  std::uint32_t length = 0;
  std::string max_edits = MapArguments().max_edits;
  std::string metric = "levenshtein";
  std::string value = "count";
  std::string regions;
  std::size_t batch_size = 0;
};

constexpr const char* kMappabilityExamples = R"(
Examples:
  trawl mappability -l 100 -e 2 genome.fa -o loci.bedgraph
      for every position: how many loci within 2 edits the read of 100 bases has that begins there
  trawl mappability -l 150 -e 4% genome.fa -o loci.bw
      for a genome browser
  trawl mappability -l 100 -e 2 genome.fa | awk '$4 == 1' > unique.bed
      where reads of 100 bases have only one locus
  trawl mappability -l 30 -e 2 --metric hamming --value mappability genome.fa -o genmap.bw
      mismatches only, and 1 / number of loci: the numbers of GenMap
  trawl mappability -l 100 -e 2 --regions exons.bed genome.fa -o exons.bedgraph
      only for reads that begin in these regions
)";

std::vector<Option> mappability_table(MappabilityArguments& a) {
  std::vector<Option> table = {
      reference_argument(a.reference),
      {.names = "-l,--length",
       .to = &a.length,
       .help = "Length of the reads, at most 100,000",
       .group = kMatchingGroup,
       .least = 1,
       .most = kLongestRead,
       .required = true},
      max_edits_option(a.max_edits),
      metric_option(a.metric, InHeader::never),
      {.names = "--regions",
       .value = "FILE.bed",
       .to = &a.regions,
       .help = "Only for reads that begin in the regions of this BED file, plain, gzip or BGZF",
       .group = kMatchingGroup,
       .is_path = true},
      {.names = "--value",
       .to = &a.value,
       .help = "What is written: the number of loci; or mappability, which is 1 divided by it, "
               "and 0 where it is 0",
       .group = kRecordsGroup,
       .words = {"count", "mappability"}}};
  append(table, output_options(a, ".bedgraph .bedgraph.gz .bw, or .bg .bg.gz .bigwig; - is bedGraph on stdout",
                               ".bedgraph.gz: 0 not compressed, 1 fastest, 9 smallest; by default fast"));
  append(table, work_options_table(a));
  table.push_back(tune_option({{.names = "batch-size", .to = &a.batch_size}}));
  return table;
}

mappability::ReferenceReads reference_reads(const MappabilityArguments& a, const map::Options& options) {
  const mappability::ReferenceReads reads{a.length, options.max_edits.of(a.length), options.gaps()};
  const std::string edits = "-e " + a.max_edits + (options.max_edits.is_share ? " of -l " : " with -l ") +
                            std::to_string(a.length) + " allows " + counted(reads.max_edits, "edit") + "; ";
  if (reads.max_edits >= a.length) {
    throw UsageError(edits + "a read that is not longer matches everywhere");
  }
  if (reads.max_edits > map::kMaxEdits) {
    throw UsageError(edits + "at most " + std::to_string(map::kMaxEdits) + " are possible");
  }
  return reads;
}

std::vector<io::NamedRegion> given_regions(const std::string& path) {
  std::vector<io::NamedRegion> regions = io::read_bed(path);
  if (regions.empty()) {
    throw InputError(path, 0, "has no regions; leave --regions out for the whole reference");
  }
  return regions;
}

std::vector<io::Region> whole_contigs(const std::vector<sequence::Contig>& contigs) {
  std::vector<io::Region> regions;
  for (const sequence::Contig& contig : contigs) {
    regions.push_back({regions.size(), 0, contig.length});
  }
  return regions;
}

std::string mappability_summary(const io::MappabilityStats& stats) {
  char share[64];
  std::snprintf(
      share, sizeof share, "%.2f%%",
      stats.positions == 0 ? 0 : 100.0 * static_cast<double>(stats.one_locus) / static_cast<double>(stats.positions));
  return counted(stats.positions, "position") + ", " + std::to_string(stats.one_locus) + " with one locus (" + share +
         "), " + counted(stats.intervals, "interval") + ", " + seconds_text(stats.wall_seconds);
}

void run_mappability(const MappabilityArguments& arguments) {
  io::MappabilityStats stats;
  CommandRun run("mappability", arguments, stats);
  map::Options options;
  static_cast<WorkOptions&>(options) = work_options(arguments);
  options.max_edits = parse_max_edits(arguments.max_edits);
  options.report = map::Report::all;
  options.metric = arguments.metric == "hamming" ? map::Metric::hamming : map::Metric::levenshtein;
  const mappability::ReferenceReads reads = reference_reads(arguments, options);
  const io::TrackFormat format = io::track_format(arguments.output);
  const int level = compression_level(arguments, format == io::TrackFormat::bedgraph_gz);
  run::MapChoice choice(arguments.engine, options);
  const bool has_regions = !arguments.regions.empty();
  run.begin(has_regions ? std::vector{arguments.reference, arguments.regions} : std::vector{arguments.reference},
            options.threads);
  const auto named = has_regions ? given_regions(arguments.regions) : std::vector<io::NamedRegion>();

  Stopwatch watch;
  const bool may_sort = arguments.engine != "cuda" && mappability::WordCounts::may_suit(reads);
  auto warm_up = std::async(std::launch::async, [&] {
    if (!may_sort) {
      choice.warm_up();
    }
  });
  const run::LoadedReference loaded = run::load_reference(arguments.reference, options.threads);
  for (const auto& warning : loaded.warnings) {
    run.say(warning);
  }
  const std::vector<sequence::Contig>& contigs = loaded.reference.contigs();
  const auto starts = run::read_starts(
      loaded.reference, reads,
      has_regions ? io::joined(io::find_regions(named, contigs, arguments.regions)) : whole_contigs(contigs));
  std::uint64_t positions = 0;
  for (const mappability::ReadStarts& some : starts) {
    positions += some.count;
  }
  watch.lap(stats.seconds["reference"]);
  warm_up.get();
  const bool by_words = may_sort && mappability::WordCounts::suits(loaded.reference, reads, positions);
  const auto engine = by_words ? nullptr : choice.make(loaded.reference, loaded.seeds);
  run.say_engine(by_words ? "cpu (short reads are sorted, not searched)" : engine->description(), choice.why());
  run.use_threads(options.threads + (by_words ? 0 : engine->waiting_threads()));
  stats.contigs = contigs.size();
  stats.reference_bases = loaded.reference.bases();
  stats.read_length = reads.length;
  stats.max_edits = reads.max_edits;
  stats.metric = arguments.metric;
  watch.lap(stats.seconds["index"]);

  if (positions == 0) {
    const std::string bases = counted(reads.length, "base");
    run.say(has_regions ? "warning: no read of " + bases + " begins in these regions"
                        : "warning: no contig has " + bases + ", so there is no read");
  }
  const auto value = arguments.value == "count" ? io::TrackValue::count : io::TrackValue::mappability;
  const auto track = io::make_position_track({arguments.output, value, level}, contigs);
  io::Progress progress(run.shows_progress(), positions, "positions");
  try {
    if (by_words) {
      run::count_words(loaded.reference, reads, starts, options.threads, *track, progress, stats);
    } else {
      run::count_loci(loaded.reference, reads, starts, *engine, options.threads, arguments.batch_size, *track, progress,
                      stats);
    }
  } catch (const std::bad_alloc&) {
    throw Error((by_words ? "not enough memory to sort all reads: it takes about 9 bytes a base"
                          : "not enough memory to find the loci: use fewer threads (-t)") +
                memory_limit_text());
  }
  run.end([&] { track->close(); }, progress);
  stats.intervals = track->intervals();
  run.report(io::stats_json(stats), mappability_summary(stats));
}

}  // namespace

Command mappability_command(const std::string& typed) {
  const auto arguments = std::make_shared<MappabilityArguments>();
  arguments->command_line = typed;
  return {.name = "mappability",
          .description = "For every position, how many loci the read there has",
          .options = mappability_table(*arguments),
          .footer = kMappabilityExamples,
          .work = on_first_rank([arguments] { run_mappability(*arguments); })};
}

}  // namespace trawl::cli
