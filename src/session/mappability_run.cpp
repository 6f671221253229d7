#include "session/mappability_run.hpp"

#include <cstdio>
#include <future>
#include <new>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/stopwatch.hpp"
#include "io/read/bed_regions.hpp"
#include "io/stats/mappability_stats.hpp"
#include "io/stats/progress.hpp"
#include "mappability/position_loci.hpp"
#include "mappability/word_counts.hpp"
#include "pipeline/engine_choice.hpp"
#include "pipeline/mappability_pipeline.hpp"
#include "session/load_reference.hpp"

namespace trawl::session {

namespace {

mappability::ReferenceReads reference_reads(const MappabilityArguments& a, const map::MapOptions& options) {
  const mappability::ReferenceReads reads{a.length, options.max_edits.of(a.length), options.gaps()};
  const std::string edits = "-e " + cli::text_of(a.max_edits) + (options.max_edits.is_share ? " of -l " : " with -l ") +
                            std::to_string(a.length) + " allows " + counted(reads.max_edits, "edit") + "; ";
  if (reads.max_edits >= a.length) {
    throw UsageError(edits + "a read that is not longer matches everywhere");
  }
  if (reads.max_edits > map::kMaxEdits) {
    throw UsageError(edits + "at most " + std::to_string(map::kMaxEdits) + " are possible");
  }
  return reads;
}

std::string mappability_summary(const io::MappabilityStats& stats) {
  char share[64];
  std::snprintf(
      share, sizeof share, "%.2f%%",
      stats.positions == 0 ? 0 : 100.0 * static_cast<double>(stats.one_locus) / static_cast<double>(stats.positions));
  return counted(stats.positions, "position") + ", " + std::to_string(stats.one_locus) + " with one locus (" + share +
         "), " + counted(stats.intervals, "interval") + ", " + seconds_text(stats.wall_seconds);
}

// Of the whole reference, or of --regions.
std::vector<mappability::ReadStarts> find_starts(const MappabilityArguments& a, const sequence::Reference& reference,
                                                 const mappability::ReferenceReads& reads,
                                                 const std::vector<io::NamedRegion>& regions) {
  const auto& contigs = reference.contigs();
  return pipeline::read_starts(
      reference, reads,
      a.regions.empty() ? io::whole_contigs(contigs) : io::joined(io::find_regions(regions, contigs, a.regions)));
}

}  // namespace

void run_mappability(const MappabilityArguments& a, CommandRun& run) {
  io::MappabilityStats stats;
  map::MapOptions options;
  static_cast<WorkOptions&>(options) = cli::work_options(a);
  options.max_edits = a.max_edits;
  options.report = map::Report::all;
  options.metric = a.metric;
  const mappability::ReferenceReads reads = reference_reads(a, options);
  const io::TrackFormat format = io::track_format(a.output);
  const int level = cli::compression_level(a, format == io::TrackFormat::bedgraph_gz);
  pipeline::MapChoice choice(a.engine, options);
  std::vector<std::string> inputs{a.reference};
  if (!a.regions.empty()) {
    inputs.push_back(a.regions);
  }
  run.begin(a, stats, inputs, options.threads);
  const auto regions = a.regions.empty() ? std::vector<io::NamedRegion>() : io::read_some_regions(a.regions);

  Stopwatch watch;
  const bool may_sort = a.engine != "cuda" && mappability::may_suit_word_counts(reads);
  auto warm_up = std::async(std::launch::async, [&] {
    if (!may_sort) {
      choice.warm_up();
    }
  });
  const LoadedReference loaded = load_reference(a.reference, options.threads);
  for (const auto& warning : loaded.warnings) {
    run.say(warning);
  }
  const auto starts = find_starts(a, loaded.reference, reads, regions);
  std::uint64_t positions = 0;
  for (const mappability::ReadStarts& some : starts) {
    positions += some.count;
  }
  watch.lap(stats.seconds["reference"]);
  warm_up.get();
  const bool by_words = may_sort && mappability::suits_word_counts(loaded.reference, reads, positions);
  const auto engine = by_words ? nullptr : choice.make(loaded.reference, loaded.seeds);
  run.say_engine(by_words ? "cpu (short reads are sorted, not searched)" : engine->description(), choice.why());
  run.use_threads(options.threads + (by_words ? 0 : engine->waiting_threads()));
  stats.contigs = loaded.reference.contigs().size();
  stats.reference_bases = loaded.reference.bases();
  stats.read_length = reads.length;
  stats.max_edits = reads.max_edits;
  stats.metric = options.gaps() ? "levenshtein" : "hamming";
  watch.lap(stats.seconds["index"]);

  if (positions == 0) {
    const std::string bases = counted(reads.length, "base");
    run.say(a.regions.empty() ? "warning: no contig has " + bases + ", so there is no read"
                              : "warning: no read of " + bases + " begins in these regions");
  }
  const auto track = io::make_position_track({a.output, a.value, level}, loaded.reference.contigs());
  io::Progress progress(run.shows_progress(), positions, "positions");
  try {
    if (by_words) {
      pipeline::count_words(loaded.reference, reads, starts, options.threads, *track, progress, stats);
    } else {
      pipeline::count_loci(loaded.reference, reads, starts, *engine, options.threads, a.batch_size, *track, progress,
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

}  // namespace trawl::session
