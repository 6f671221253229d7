#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/options/map_options.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/program.hpp"
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

struct PrimersArguments : SearchArguments {
  std::string pair_file;
  std::string sizes = "50-2000";
  std::uint32_t three_prime = 0;
};

constexpr const char* kPrimersExamples = R"(
Examples:
  trawl primers genome.fa primers.tsv -o products.bed
      the products of 50 to 2000 bases; primers.tsv has lines of a name and two primers
  trawl primers -e 3 --three-prime 5 --size 80-500 genome.fa primers.tsv -o products.tsv
      with up to 3 edits in each primer, none in its last 5 bases
)";

constexpr const char* kPrimersGroup = "Primers";

std::vector<Option> primers_table(PrimersArguments& a) {
  std::vector<Option> table = {
      reference_argument(a.reference),
      {.names = "PRIMERS",
       .to = &a.pair_file,
       .help = "Primer pairs: lines of a name, the forward and the reverse primer, with tabs between them; IUPAC codes "
               "match what they stand for; - is stdin",
       .required = true,
       .is_path = true},
      {.names = "--size",
       .value = "MIN-MAX",
       .to = &a.sizes,
       .help = "Smallest and largest product, with its primers",
       .group = kPrimersGroup},
      {.names = "--three-prime",
       .to = &a.three_prime,
       .help = "The last N bases of each primer, at its 3' end, must match exactly",
       .group = kPrimersGroup,
       .most = scan::kMaxPatternLength}};
  append(table, matching_table(a));
  append(table, output_options(a, ".bed .tsv .csv, these with .gz; - is BED on stdout",
                               ".gz: 0 not compressed, 1 fastest, 9 smallest; by default fast"));
  append(table, search_work_table(a));
  return table;
}

scan::Options primers_options(const PrimersArguments& a) {
  scan::Options options = search_options(a);
  options.pam.three_prime = a.three_prime;
  if (a.three_prime > 0) {
    options.max_mismatches = options.max_edits;
    options.max_bulges = options.metric == scan::Metric::hamming ? 0 : options.max_edits;
  }
  return options;
}

sequence::PatternList read_primers(const PrimersArguments& a, const scan::Options& options) {
  sequence::PatternList primers;
  io::read_primer_pairs(a.pair_file, scan::kMaxPatternLength, primers);
  for (const auto [name, bases] : primers) {
    const std::string which = "a primer of the pair " + std::string(name);
    if (bases.size() <= options.pam.three_prime) {
      throw UsageError("--three-prime " + std::to_string(options.pam.three_prime) + ": " + which + " has " +
                       std::to_string(bases.size()) + " letters; give fewer bases, or -e 0 for exact primers");
    }
    // The part that may have edits.
    if (scan::matches_everywhere({name, bases.substr(0, bases.size() - options.pam.three_prime)}, options.max_edits)) {
      throw UsageError("-e " + std::to_string(options.max_edits) + ": " + which +
                       " is so short that it would match everywhere; give fewer edits");
    }
  }
  return primers;
}

void run_primers(const PrimersArguments& arguments) {
  io::AmpliconStats stats;
  CommandRun run("primers", arguments, stats);
  const scan::Options options = primers_options(arguments);
  const run::InsertRange sizes = parse_size_range("--size", arguments.sizes, "a product");
  const io::ScanFormat format = io::scan_format(arguments.output);
  const int level = compression_level(arguments, io::is_packed(format));
  run::ScanChoice choice(arguments.engine, options);
  run.begin({arguments.reference, arguments.pair_file}, options.threads);

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
  run::scan_reference(chunks, *finder, queries, options, sink, progress, stats,
                      arguments.chunk_size > 0 ? nullptr : &size);
  run.end([&] { sink.close(); }, progress);
  stats.amplicons = sink.amplicons();
  run.report(io::stats_json(stats), counted(stats.patterns / 2, "primer pair") + ", " +
                                        counted(stats.reference_bases, "base") + ", " +
                                        counted(stats.records, "locus", "loci") + " of primers, " +
                                        counted(stats.amplicons, "product") + ", " + seconds_text(stats.wall_seconds));
}

}  // namespace

Command primers_command(const std::string& typed) {
  const auto arguments = std::make_shared<PrimersArguments>();
  arguments->command_line = typed;
  return {.name = "primers",
          .description = "Search primer pairs: all their products, within an edit distance",
          .options = primers_table(*arguments),
          .footer = kPrimersExamples,
          .work = on_first_rank([arguments] { run_primers(*arguments); })};
}

}  // namespace trawl::cli
