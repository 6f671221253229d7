#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/options/map_options.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/pattern_check.hpp"
#include "cli/program.hpp"
#include "io/index/index_contigs.hpp"
#include "io/read/circular_contigs.hpp"
#include "io/read/fasta_chunks.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/primer_reader.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/amplicon_sink.hpp"
#include "io/write/primer_tables.hpp"
#include "run/engine_choice.hpp"
#include "run/load_reference.hpp"
#include "run/scan_pipeline.hpp"
#include "scan/find/query.hpp"
#include "scan/melting.hpp"
#include "scan/report/primer_dimers.hpp"
#include "scan/report/site.hpp"

namespace trawl::cli {

namespace {

struct PrimersArguments : SearchArguments {
  std::string primer_file;
  std::string sizes = "50-2000";
  std::uint32_t three_prime = 0;
  std::string combine;  // empty: as the file asks for
  std::string melting;  // --tm; empty: all
  std::string salt = "50,1.5,0.6,50";
  std::string summary;
  std::string mispriming;
  std::string dimers;
  std::uint32_t dimer_energy = 6;
};

constexpr const char* kPrimersExamples = R"(
Examples:
  trawl primers genome.fa primers.tsv -o products.bed
      the products of 50 to 2000 bases; primers.tsv has lines of a name and two primers
  trawl primers -e 3 --three-prime 5 --size 80-500 genome.fa primers.tsv -o products.tsv
      with up to 3 edits in each primer, none in its last 5 bases
  trawl primers -e 3 virus.fa primer.bed -o products.tsv --summary primers.csv --dimers dimers.tsv
      a scheme such as those of ARTIC: every primer with every other of its pool, and primer dimers
)";

constexpr const char* kPrimersGroup = "Primers";
constexpr const char* kMeltingGroup = "Melting temperature";

std::vector<Option> primers_table(PrimersArguments& a) {
  std::vector<Option> table = {
      reference_argument(a.reference),
      {.names = "PRIMERS",
       .to = &a.primer_file,
       .help = "Primers: a table of pairs (name, forward and reverse primer), a BED of a scheme, names and sequences, "
               "FASTA, or primer3's output; IUPAC codes match what they stand for; - is stdin",
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
       .most = scan::kMaxPatternLength},
      {.names = "--combine",
       .to = &a.combine,
       .help = "Which primers are combined: those of one pair (or amplicon), of one pool, or all",
       .group = kPrimersGroup,
       .words = {"pair", "pool", "all"},
       .default_text = "pair for a table of pairs and for primer3, else pool"},
      {.names = "--summary",
       .value = "FILE",
       .to = &a.summary,
       .help = "Also writes a line for each primer: Tm, GC, its places, products and dimers (.tsv .csv)",
       .group = kPrimersGroup,
       .is_path = true},
      {.names = "--mispriming",
       .value = "FILE",
       .to = &a.mispriming,
       .help = "Also writes where primers bind besides the place that a BED gives them, as trawl scan does (.tsv .csv "
               ".bed)",
       .group = kPrimersGroup,
       .is_path = true},
      {.names = "--dimers",
       .value = "FILE",
       .to = &a.dimers,
       .help = "Also writes the primers whose 3' end binds another one, which is then copied (.tsv .csv)",
       .group = kPrimersGroup,
       .is_path = true},
      {.names = "--dimer-energy",
       .to = &a.dimer_energy,
       .help = "A dimer has at least N kcal/mol of binding energy at 37 degrees",
       .group = kPrimersGroup,
       .most = 1000},
      {.names = "--tm",
       .value = "MIN-MAX",
       .to = &a.melting,
       .help = "Search only primers with a melting temperature from MIN to MAX degrees Celsius",
       .group = kMeltingGroup},
      {.names = "--salt",
       .value = "NA,MG,DNTP[,DNA]",
       .to = &a.salt,
       .help = "Monovalent ions, magnesium and dNTPs, in mM; strands of primer and target together, in nM",
       .group = kMeltingGroup}};
  append(table, matching_table(a));
  table.push_back(output_option(a, ".bed .tsv, these with .gz; - is BED on stdout"));
  append(table, work_options_table(a));
  table.push_back(tune_option(a));
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

// Numbers from 0 to 10,000 with this letter between them, with or without a fraction; nothing if the text has others.
std::optional<std::vector<double>> numbers_of(std::string_view text, char separator) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    double& number = numbers.emplace_back();
    const char* const last = text.data() + end;
    const auto read = std::from_chars(text.data() + begin, last, number);
    if (read.ec != std::errc() || read.ptr != last || !(number >= 0 && number <= 10'000)) {
      return std::nullopt;
    }
    begin = end + 1;
  }
  return numbers;
}

scan::MeltingConditions melting_conditions(const PrimersArguments& a) {
  const auto salt = numbers_of(a.salt, ',');
  if (!salt || salt->size() > 4) {
    throw UsageError("--salt " + a.salt +
                     ": give mM of monovalent ions, magnesium and dNTPs, as 50,1.5,0.6, or of monovalent ions only; nM "
                     "of DNA may follow");
  }
  scan::MeltingConditions conditions;
  conditions.monovalent = (*salt)[0];
  conditions.divalent = salt->size() > 1 ? (*salt)[1] : 0;
  conditions.dntp = salt->size() > 2 ? (*salt)[2] : 0;
  conditions.strands = salt->size() > 3 ? (*salt)[3] : conditions.strands;
  if (conditions.strands <= 0) {
    throw UsageError("--salt " + a.salt + ": without DNA nothing binds; give nM of it, as 50,1.5,0.6,50");
  }
  if (conditions.sodium() <= 0) {
    throw UsageError("--salt " + a.salt + ": without any salt primers do not bind; give mM of monovalent ions");
  }
  return conditions;
}

std::pair<double, double> melting_range(const PrimersArguments& a) {
  const auto range = numbers_of(a.melting, '-');
  if (!range || range->size() != 2 || (*range)[0] > (*range)[1]) {
    throw UsageError("--tm " + a.melting + ": give the lowest and the highest temperature, as 55-65");
  }
  return {(*range)[0], (*range)[1]};
}

// The work, step by step.
class PrimersRun {
 public:
  explicit PrimersRun(const PrimersArguments& arguments)
      : arguments_(arguments), run_("primers", arguments_, stats_), options_(primers_options(arguments)) {}

  void run() {
    const run::InsertRange sizes = parse_size_range("--size", arguments_.sizes, "a product");
    const io::ScanFormat format = io::amplicon_format(arguments_.output);
    const int level = compression_level(arguments_, io::is_packed(format));
    conditions_ = melting_conditions(arguments_);
    run::ScanChoice choice(arguments_.engine, options_);
    begin();

    // The sequence of a product may lie in several chunks, so the whole reference is kept.
    run::LoadedReference loaded =
        run::load_reference(arguments_.reference, options_.threads, {run::CircularUse::letters});
    for (const std::string& warning : loaded.warnings) {
      run_.warn(warning);
    }
    const auto reference = std::make_shared<const sequence::Reference>(std::move(loaded.reference));
    read(*reference);
    set_circles(*reference);
    const std::vector<std::uint32_t> groups = pool_.groups(combine());
    find_dimers(groups, level);

    const scan::QueryList queries = scan::make_queries(pool_.patterns(), options_);
    const auto finder = choice.make(queries, reference->bases());
    run_.say_engine(finder->description(), choice.why());
    io::ChunkOptions chunk_options;
    if (arguments_.chunk_size > 0) {
      chunk_options.bases = arguments_.chunk_size;
    }
    chunk_options.overlap = scan::SiteFinder(queries, options_).overlap();
    auto contigs = std::make_unique<io::CircularContigs>(std::make_unique<io::IndexContigs>(reference),
                                                         arguments_.circular, 2 * chunk_options.overlap);
    const auto circles = contigs->circles();
    const auto chunks = std::make_shared<io::FastaChunks>(std::move(contigs), chunk_options, options_.threads);
    io::ScanSinkOptions output;
    output.path = arguments_.output;
    output.compression_level = level;
    output.threads = options_.threads;
    io::AmpliconSink sink(output, pool_, groups, {sizes.min, sizes.max}, conditions_, *reference, arguments_.mispriming,
                          circles_);
    io::Progress progress(run_.shows_progress(), reference->bases(), "bases");
    run::ChunkSize size(queries.size());
    run::scan_reference(chunks, *finder, queries, options_, sink, progress, stats_,
                        arguments_.chunk_size > 0 ? nullptr : &size, circles.get());
    run_.end([&] { sink.close(); }, progress);
    if (!arguments_.summary.empty()) {
      io::write_primer_table({pool_, sink.of_primers(), dimers_, conditions_}, arguments_.summary, level);
    }
    report(sink);
  }

 private:
  // Checks the options and the outputs.
  void begin() {
    if (!arguments_.melting.empty()) {
      melting_range(arguments_);
    }
    io::check_table_name("--summary", arguments_.summary);
    io::check_table_name("--dimers", arguments_.dimers);
    if (!arguments_.mispriming.empty() && io::scan_format(arguments_.mispriming) == io::ScanFormat::sam) {
      throw UsageError("--mispriming " + arguments_.mispriming + ": give a file named .tsv, .csv or .bed");
    }
    std::vector<NamedOutput> outputs;
    for (const auto& [option, path] :
         {std::pair("--summary", &arguments_.summary), std::pair("--mispriming", &arguments_.mispriming),
          std::pair("--dimers", &arguments_.dimers)}) {
      if (!path->empty()) {
        outputs.push_back({option, *path});
      }
    }
    if (arguments_.reference == "-" && arguments_.primer_file == "-") {
      throw UsageError("only one of the files can be the standard input (-)");
    }
    run_.begin({arguments_.reference, arguments_.primer_file}, options_.threads, outputs);
  }

  scan::Combine combine() const {
    return arguments_.combine == "pair"   ? scan::Combine::pair
           : arguments_.combine == "pool" ? scan::Combine::pool
           : arguments_.combine == "all"  ? scan::Combine::all
                                          : pool_.combine;
  }

  void read(const sequence::Reference& reference) {
    io::PrimerFile file = io::read_primers(arguments_.primer_file, scan::kMaxPatternLength, reference);
    pool_ = std::move(file.pool);
    stats_.is_table_of_pairs = pool_.is_table_of_pairs;
    if (!pool_.is_table_of_pairs) {
      std::string what = io::display_name(arguments_.primer_file) + " is " + file.form + ": " +
                         counted(pool_.size(), "primer") + ", " + counted(pool_.amplicons().size(), "amplicon");
      if (!pool_.pools().empty()) {
        what += ", " + counted(pool_.pools().size(), "pool");
      }
      if (file.probes > 0) {
        what += "; " + counted(file.probes, "probe") + " left out, which make no products";
      }
      run_.say(what);
    }
    if (file.elsewhere > 0) {
      run_.warn(counted(file.elsewhere, "primer") + (file.elsewhere == 1 ? " lies" : " lie") +
                " on a sequence that the reference does not have (" + file.elsewhere_contig +
                "); their own places are not known");
    }
    filter();
    check();
    stats_.patterns = pool_.size();
  }

  // --circular, and sequences whose headers say that they are circular.
  void set_circles(const sequence::Reference& reference) {
    for (std::size_t c = 0; c < reference.contigs().size(); ++c) {
      const sequence::Contig& contig = reference.contigs()[c];
      if (contig.topology.circular ||
          std::find(arguments_.circular.begin(), arguments_.circular.end(), contig.name) != arguments_.circular.end()) {
        circles_[c] = contig.length;
        pool_.set_circle(c, contig.length);
      }
    }
  }

  // --tm.
  void filter() {
    if (arguments_.melting.empty()) {
      return;
    }
    const auto [least, most] = melting_range(arguments_);
    NameList left_out;
    std::vector<bool> keeps(pool_.size());
    for (std::uint32_t p = 0; p < pool_.size(); ++p) {
      const double melting = scan::melting_temperature(pool_.patterns()[p].bases, conditions_);
      keeps[p] = melting >= least && melting <= most;
      if (!keeps[p]) {
        left_out.add(io::primer_name(pool_, p));
      }
    }
    if (left_out.count() == pool_.size()) {
      throw UsageError("--tm " + arguments_.melting +
                       ": no primer has such a melting temperature; --summary lists them");
    }
    if (left_out.count() > 0) {
      run_.say(counted(left_out.count(), "primer") + " left out by --tm " + arguments_.melting + ": " +
               left_out.text());
      pool_.keep([&](std::size_t p) { return keeps[p]; });
    }
  }

  void check() {
    std::unordered_map<std::string_view, std::string_view> seen;  // by group and bases
    NameList same;
    for (std::uint32_t p = 0; p < pool_.size(); ++p) {
      const auto [name, bases] = pool_.patterns()[p];
      const std::string which =
          pool_.is_table_of_pairs ? "a primer of the pair " + std::string(name) : "the primer " + std::string(name);
      if (bases.size() <= options_.pam.three_prime) {
        throw UsageError("--three-prime " + std::to_string(options_.pam.three_prime) + ": " + which + " has " +
                         std::to_string(bases.size()) + " letters; give fewer bases, or -e 0 for exact primers");
      }
      // The part that may have edits.
      if (scan::matches_everywhere({name, bases.substr(0, bases.size() - options_.pam.three_prime)},
                                   options_.max_edits)) {
        throw UsageError("-e " + std::to_string(options_.max_edits) + ": " + which +
                         " is so short that it would match everywhere; give fewer edits");
      }
      if (!pool_.is_table_of_pairs && !seen.emplace(bases, name).second) {
        same.add(std::string(name) + " and " + std::string(seen[bases]));
      }
    }
    if (same.count() > 0) {
      run_.warn("some primers are the same; each has its own products: " + same.text());
    }
  }

  void find_dimers(const std::vector<std::uint32_t>& groups, int level) {
    if (arguments_.dimers.empty() && arguments_.summary.empty()) {
      return;
    }
    dimers_ = scan::find_dimers(pool_, groups, conditions_, -static_cast<double>(arguments_.dimer_energy));
    stats_.dimers = dimers_.size();
    if (!arguments_.dimers.empty()) {
      io::write_dimer_table({pool_, {}, dimers_, conditions_}, arguments_.dimers, level);
    }
  }

  void report(const io::AmpliconSink& sink) {
    stats_.amplicons = sink.amplicons();
    stats_.expected_amplicons = sink.expected();
    stats_.other_places = sink.other_places();
    say_missing(sink);
    const std::string what =
        pool_.is_table_of_pairs ? counted(stats_.patterns / 2, "primer pair") : counted(stats_.patterns, "primer");
    run_.report(io::stats_json(stats_),
                what + ", " + counted(stats_.reference_bases, "base") + ", " +
                    counted(stats_.records, "locus", "loci") + " of primers, " + counted(stats_.amplicons, "product") +
                    (pool_.amplicons().empty() ? "" : " (" + std::to_string(stats_.expected_amplicons) + " expected)") +
                    (stats_.dimers ? ", " + counted(*stats_.dimers, "dimer") : "") + ", " +
                    seconds_text(stats_.wall_seconds));
  }

  // Amplicons that should have a product.
  void say_missing(const io::AmpliconSink& sink) {
    std::vector<bool> has_left(pool_.amplicons().size());
    std::vector<bool> has_right(pool_.amplicons().size());
    for (std::size_t p = 0; p < pool_.size(); ++p) {
      if (pool_[p].amplicon && pool_[p].side != scan::PrimerSide::unknown) {
        (pool_[p].side == scan::PrimerSide::left ? has_left : has_right)[*pool_[p].amplicon] = true;
      }
    }
    NameList missing;
    NameList alone;
    for (std::size_t a = 0; a < pool_.amplicons().size(); ++a) {
      if (has_left[a] != has_right[a]) {
        alone.add(pool_.amplicons()[a]);
      } else if (has_left[a] && sink.expected_of()[a] == 0) {
        missing.add(pool_.amplicons()[a]);
      }
    }
    if (alone.count() > 0) {
      run_.warn(counted(alone.count(), "amplicon") + " with primers of one side only: " + alone.text());
    }
    if (missing.count() > 0) {
      run_.warn(counted(missing.count(), pool_.is_table_of_pairs ? "pair" : "amplicon") +
                " without an expected product of " + arguments_.sizes + " bases: " + missing.text() +
                "; more edits (-e) or sizes (--size) may show it");
    }
  }

  const PrimersArguments& arguments_;
  io::AmpliconStats stats_;
  CommandRun run_;
  scan::Options options_;
  scan::MeltingConditions conditions_;
  scan::PrimerPool pool_;
  std::vector<scan::PrimerDimer> dimers_;
  std::map<std::uint64_t, std::uint64_t> circles_;  // by contig: the lengths of circular ones
};

void run_primers(const PrimersArguments& arguments) { PrimersRun(arguments).run(); }

}  // namespace

Command primers_command(const std::string& typed) {
  const auto arguments = std::make_shared<PrimersArguments>();
  arguments->command_line = typed;
  return {.name = "primers",
          .description = "Search primers, pairs or pools: all their products, within an edit distance",
          .options = primers_table(*arguments),
          .footer = kPrimersExamples,
          .work = on_first_rank([arguments] { run_primers(*arguments); })};
}

}  // namespace trawl::cli
