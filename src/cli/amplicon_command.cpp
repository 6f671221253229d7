#include "cli/amplicon_command.hpp"

#include <memory>
#include <string>
#include <utility>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/map_options.hpp"
#include "io/index/index_contigs.hpp"
#include "io/read/fasta_chunks.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/stats/amplicon_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/amplicon_sink.hpp"
#include "run/engine_choice.hpp"
#include "run/load_reference.hpp"
#include "run/scan_pipeline.hpp"
#include "scan/find/query.hpp"
#include "scan/report/site.hpp"

namespace trawl::cli {

namespace {

// Options of `trawl scan` that would change what a product is.
void check_options(const ScanArguments& a) {
  const ScanArguments defaults;
  const char* const option = !a.pam.empty()                ? "--pam"
                             : a.strand != defaults.strand ? "--strand"
                             : a.report != defaults.report ? "--report"
                             : !a.patterns.empty()         ? "-p"
                             : !a.memory.empty()           ? "--memory"
                             : !a.multiqc.empty()          ? "--multiqc"
                             : !a.summary.empty()          ? "--summary"
                             : !a.variants.empty()         ? "--vcf"
                             : !a.annotation.empty()       ? "--annotate"
                             : a.order != defaults.order   ? "--order"
                             : !a.report_html.empty()      ? "--report-html"
                             : !a.igv_session.empty()      ? "--igv-session"
                                                           : nullptr;
  if (option != nullptr) {
    throw UsageError(std::string(option) + " and --amplicons cannot be given together; leave " + option + " out");
  }
}

sequence::PatternList read_primers(const ScanArguments& a, const scan::Options& options) {
  sequence::PatternList primers;
  io::read_primer_pairs(a.pattern_file, scan::kMaxPatternLength, primers);
  for (const auto [name, bases] : primers) {
    const std::string which = "a primer of the pair " + std::string(name);
    if (bases.size() <= options.pam.own) {
      throw UsageError("--three-prime " + std::to_string(options.pam.own) + ": " + which + " has " +
                       std::to_string(bases.size()) + " letters; give fewer bases, or -k 0 for exact primers");
    }
    // The part that may have edits.
    if (scan::matches_everywhere({name, bases.substr(0, bases.size() - options.pam.own)}, options.max_edits)) {
      throw UsageError("-k " + std::to_string(options.max_edits) + ": " + which +
                       " is so short that it would match everywhere; give fewer edits");
    }
  }
  return primers;
}

}  // namespace

void run_amplicons(const ScanArguments& arguments) {
  check_options(arguments);
  io::AmpliconStats stats;
  CommandRun run("scan", arguments, stats);
  const scan::Options options = scan_options(arguments);
  const run::InsertRange sizes = parse_size_range("--amplicons", arguments.amplicons, "a product");
  const io::ScanFormat format = io::scan_format(arguments.output);
  const int level = compression_level(arguments, io::is_packed(format));
  run::ScanChoice choice(arguments.engine, options);
  run.begin({arguments.reference, arguments.pattern_file}, options.threads);

  const sequence::PatternList primers = read_primers(arguments, options);
  stats.patterns = primers.size();
  const scan::QueryList queries = scan::make_queries(primers, options);
  // The sequence of a product may lie in several chunks, so the whole reference is kept.
  run::LoadedReference loaded = run::load_reference(arguments.reference, options.threads);
  for (const std::string& warning : loaded.warnings) {
    run.say(warning);
  }
  const auto reference = std::make_shared<const sequence::Reference>(std::move(loaded.reference));
  const auto finder = choice.make(queries, reference->bases());
  run.say_engine(finder->description(), choice.why());

  io::ChunkOptions chunk_options;
  if (arguments.chunk_size > 0) {
    chunk_options.bases = arguments.chunk_size;
  }
  chunk_options.overlap = scan::SiteFinder(queries, options).overlap();
  const auto chunks =
      std::make_shared<io::FastaChunks>(std::make_unique<io::IndexContigs>(reference), chunk_options, options.threads);
  io::ScanSinkOptions output;
  output.path = arguments.output;
  output.compression_level = level;
  io::AmpliconSink sink(output, primers, {sizes.min, sizes.max}, *reference);
  io::Progress progress(run.shows_progress(), reference->bases(), "bases");
  run::ChunkSize size(queries.size());
  run::run_scan_pipeline(chunks, *finder, queries, options, sink, progress, stats,
                         arguments.chunk_size > 0 ? nullptr : &size);
  run.end([&] { sink.close(); }, progress);
  stats.amplicons = sink.amplicons();
  run.report(io::stats_json(stats), counted(stats.patterns / 2, "primer pair") + ", " +
                                        counted(stats.reference_bases, "base") + ", " +
                                        counted(stats.records, "locus", "loci") + " of primers, " +
                                        counted(stats.amplicons, "product") + ", " + seconds_text(stats.wall_seconds));
}

}  // namespace trawl::cli
