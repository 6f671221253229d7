#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/pattern_check.hpp"
#include "cli/scan_reports.hpp"
#include "cli/serve_queries.hpp"
#include "cli/server_client.hpp"
#include "io/read/chunk_source.hpp"
#include "io/read/circular_contigs.hpp"
#include "io/read/fasta_chunks.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/read_chunks.hpp"
#include "io/read/reference_files.hpp"
#include "io/report/igv_session.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/read_call_table.hpp"
#include "io/write/read_folder.hpp"
#include "io/write/scan_sink.hpp"
#include "ranks/scan_ranks.hpp"
#include "run/engine_choice.hpp"
#include "run/haplotype_scan.hpp"
#include "run/load_reference.hpp"
#include "run/read_calls.hpp"
#include "run/scan_pipeline.hpp"
#include "scan/find/query.hpp"
#include "scan/near_patterns.hpp"
#include "scan/pam_patterns.hpp"
#include "scan/report/site.hpp"
#include "sequence/contig_names.hpp"

namespace trawl::cli {

namespace {

// The work of one rank, or of the only process.
class ScanRun {
 public:
  ScanRun(const ScanArguments& arguments, ranks::Cluster& cluster)
      : arguments_(arguments), cluster_(cluster), run_("scan", arguments_, stats_, &cluster) {}

  void run() {
    cluster_.together([&] { read_options(); });
    cluster_.together([&] { read_inputs(); });
    share_inputs();
    cluster_.together([&] { prepare(); });
    io::Progress progress(run_.shows_progress(), inputs_.reference.bytes, "bases");
    if (cluster_.is_alone()) {
      scan_alone(progress);
    } else {
      scan_with_others(progress);
    }
    if (cluster_.is_first()) {
      say_warnings();
      run_.end(
          [&] {
            if (inputs_.reference.bam) {
              inputs_.reference.bam->finish();
            }
            close_output();
          },
          progress);
      write_scan_reports({arguments_, options_.threads, options_.ambiguous_matches, level_, inputs_.patterns, searched_,
                          chunks_->contigs(), inputs_.reference.fasta, genome_},
                         stats_);
      run_.report([&](const std::string& path) { io::write_stats(stats_, inputs_.patterns, path); },
                  scan_summary(stats_, options_, in_reads_));
    }
  }

 private:
  // What the options mean, and whether the outputs can be written.
  void read_options() {
    options_ = scan_options(arguments_);
    share_node(cluster_, arguments_, options_);
    rule_ = call_rule(arguments_);
    format_ = rule_ ? io::read_call_format(arguments_.output) : io::scan_format(arguments_.output);
    level_ = compression_level(arguments_, io::is_packed(format_) || !arguments_.extract.empty());
    check_outputs();
    choice_.emplace(arguments_.engine, options_);
    if (!arguments_.igv_session.empty() && cluster_.is_first()) {
      genome_ = run::fasta_file(arguments_.reference);
      io::check_igv_session(genome_, arguments_.output, true);
    }
    std::vector<std::string> inputs{arguments_.reference};
    for (const std::string& input : {arguments_.pattern_file, arguments_.annotation, arguments_.variants}) {
      if (!input.empty()) {
        inputs.push_back(input);
      }
    }
    std::vector<NamedOutput> outputs;
    if (!arguments_.summary.empty()) {
      outputs.push_back({"--summary", arguments_.summary});
    }
    run_.begin(inputs, options_.threads, outputs);
  }

  void check_outputs() const {
    if (rule_ && !cluster_.is_alone()) {
      throw UsageError("--per-read best cannot be used under mpirun; use it without");
    }
    if (!arguments_.annotation.empty() && !io::is_table(format_) && !io::is_gff(format_)) {
      throw UsageError("--annotate adds columns to a table; give -o a file named .tsv, .csv or .gff3");
    }
    if (!arguments_.variants.empty() && (!io::is_table(format_) || !cluster_.is_alone())) {
      throw UsageError(cluster_.is_alone() ? "--vcf adds columns to a table; give -o a file named .tsv or .csv"
                                           : "--vcf cannot be used under mpirun; use it without");
    }
    io::check_table_name("--summary", arguments_.summary);
    if (const std::string what = against_circular(); !arguments_.circular.empty() && !what.empty()) {
      throw UsageError("--circular cannot be used with " + what + "; leave one of them out");
    }
    if (io::is_list_of_files(arguments_.reference) && !(cluster_.is_alone() && arguments_.variants.empty())) {
      throw UsageError("several references cannot be used with " +
                       std::string(cluster_.is_alone() ? "--vcf" : "mpirun") + "; search them one after the other");
    }
  }

  // A place over the origin ends after the end of its sequence. Returns what is given that cannot have such places; ""
  // if nothing is.
  std::string against_circular() const {
    const std::pair<const char*, bool> others[] = {{"a file named .sam", format_ == io::ScanFormat::sam},
                                                   {"--vcf", !arguments_.variants.empty()},
                                                   {"--report-html", !arguments_.report_html.empty()},
                                                   {"--igv-session", !arguments_.igv_session.empty()},
                                                   {"mpirun", !cluster_.is_alone()},
                                                   {"--per-read best", rule_.has_value()},
                                                   {"--within", !arguments_.within.empty()}};
    for (const auto& [what, is_given] : others) {
      if (is_given) {
        return what;
      }
    }
    return "";
  }

  // On the first rank.
  void read_inputs() {
    if (!cluster_.is_first()) {
      return;
    }
    Stopwatch watch;
    inputs_.patterns = read_patterns(arguments_, inputs_.cas);
    take_cas_options();
    watch.lap(stats_.seconds["patterns"]);
    if (!arguments_.memory.empty()) {
      check_memory(inputs_.patterns, options_, counts_by_pattern(), parse_bytes("--memory", arguments_.memory));
    }
    if (const std::string warning = primer_pairs_warning(arguments_.pattern_file); !warning.empty()) {
      run_.warn(warning);
    }
    for (const auto& warning : pattern_warnings(inputs_.patterns, options_)) {
      run_.warn(warning);
    }
    if (rule_) {
      warn_of_near_patterns();
    }
    watch.lap(stats_.seconds["check"]);
    inputs_.open_reference(arguments_, options_.threads, io::is_table(format_));
    check_reads();
    for (const auto& warning : inputs_.reference.warnings) {
      run_.warn(warning);
    }
  }

  // A read between two patterns that are less than 2 e + 1 edits apart may be within e of both, or of the wrong one.
  void warn_of_near_patterns() {
    const std::uint32_t apart = 2 * rule_->max_edits + 1;
    const auto near = scan::near_patterns(inputs_.patterns, apart - 1, options_.strands == scan::Strands::both);
    if (!near || near->pairs == 0) {
      return;
    }
    const std::uint32_t fewer = near->distance > 0 ? (near->distance - 1) / 2 : 0;
    run_.warn(counted(near->pairs, "pair") + " of patterns " + (near->pairs == 1 ? "is" : "are") + " fewer than " +
              std::to_string(apart) + " edits apart (2 e + 1), the nearest " +
              std::string(inputs_.patterns[near->first].name) + " and " +
              (near->is_reverse ? "the reverse complement of " : "") +
              std::string(inputs_.patterns[near->second].name) + " (" + std::to_string(near->distance) +
              "): reads between them may be ambiguous, or called wrong; -e " + std::to_string(fewer) +
              " avoids it, and --margin 2 makes it rarer");
  }

  // What is for a reference only.
  void check_reads() const {
    if (!inputs_.reference.reads) {
      return;
    }
    const std::string file = io::display_name(arguments_.reference);
    if (!cluster_.is_alone()) {
      throw UsageError(file + " has reads, which cannot be searched under mpirun; use it without");
    }
    if (!arguments_.circular.empty()) {
      throw UsageError("--circular names sequences of a reference, and " + file + " has reads; leave it out");
    }
    if (format_ == io::ScanFormat::sam) {
      throw UsageError(file +
                       " has reads, and SAM is for places in a reference; give -o a file named .tsv, .csv or .bed");
    }
    for (const auto& [option, value] :
         {std::pair("--report-html", &arguments_.report_html), std::pair("--igv-session", &arguments_.igv_session)}) {
      if (!value->empty()) {
        throw UsageError(std::string(option) + " shows places in a reference, and " + file +
                         " has reads; leave it out");
      }
    }
  }

  // An input of Cas-OFFinder also has options.
  void take_cas_options() {
    if (!inputs_.cas) {
      return;
    }
    const std::string what = take_options(*inputs_.cas, arguments_);
    if (cluster_.is_first()) {
      run_.say(what);
    }
    const WorkOptions work = options_;
    options_ = scan_options(arguments_);
    static_cast<WorkOptions&>(options_) = work;
    choice_.emplace(arguments_.engine, options_);
  }

  void share_inputs() {
    if (cluster_.is_alone()) {
      return;
    }
    std::string bytes = cluster_.is_first() ? inputs_.packed() : "";
    cluster_.broadcast(bytes);
    if (!cluster_.is_first()) {
      inputs_.unpack(bytes);
      take_cas_options();
    }
  }

  bool counts_by_pattern() const { return !arguments_.stats.empty() || shows_sites(arguments_); }
  scan::GuideRules guide_rules() const { return cli::guide_rules(arguments_, options_); }

  // The search, and the counters of what it will find.
  void prepare() {
    Stopwatch watch;
    if (options_.pam.bases.empty() && !(arguments_.summary.empty() && arguments_.variants.empty())) {
      throw UsageError(std::string(arguments_.summary.empty() ? "--vcf" : "--summary") + " is for guides; give --pam");
    }
    if (!arguments_.summary.empty()) {
      stats_.guides.emplace(inputs_.patterns, options_, guide_rules());
    }
    stats_.patterns = inputs_.patterns.size();
    queries_ = scan::make_queries(inputs_.patterns, options_);
    searched_ = scan::with_pam(inputs_.patterns, options_.pam);
    watch.lap(stats_.seconds["queries"]);
    std::vector<bool> searched;
    for (const auto pattern : inputs_.patterns) {
      searched.push_back(!scan::matches_everywhere(pattern, options_.max_edits));
      stats_.patterns_not_searched += searched.back() ? 0 : 1;
    }
    if (shows_sites(arguments_)) {
      stats_.sites.emplace(inputs_.patterns.size());
    }
    if (counts_by_pattern()) {
      stats_.records_by_pattern.emplace(std::move(searched), options_.max_edits);
    }
    watch.lap(stats_.seconds["check"]);
    finder_ = choice_->make(queries_, inputs_.reference.bytes);
    watch.lap(stats_.seconds["tables"]);
    run_.say_engine(finder_->description(), choice_->why());
    if (cluster_.is_first()) {
      make_chunks();
    }
  }

  void make_chunks() {
    in_reads_ = inputs_.reference.reads != nullptr;
    io::ChunkOptions chunks;
    if (arguments_.chunk_size > 0) {
      chunks.bases = arguments_.chunk_size;
    } else {
      chunk_size_.emplace(queries_.size(), in_reads_ ? run::kMostReadBases : run::kMostBases);
    }
    chunks.overlap = scan::SiteFinder(queries_, options_).overlap();
    chunks.with_md5 = format_ == io::ScanFormat::sam;
    if (in_reads_) {
      io::ReadChunkOptions reads;
      reads.bases = chunks.bases;
      reads.gap = finder_->least_gap();
      reads.within = read_ends(arguments_);
      reads.with_comments = !arguments_.extract.empty();
      chunks_ = std::make_shared<io::ReadChunks>(std::move(inputs_.reference.reads), reads);
    } else {
      auto circular =
          std::make_unique<io::CircularContigs>(std::move(inputs_.reference.contigs), arguments_.circular,
                                                against_circular().empty() ? std::uint64_t{2} * chunks.overlap : 0);
      circles_ = circular->circles();
      inputs_.reference.contigs = std::move(circular);
      chunks_ = std::make_shared<io::FastaChunks>(std::move(inputs_.reference.contigs), chunks, options_.threads);
    }
  }

  io::MoreColumns more_columns() const {
    io::MoreColumns more = cli::more_columns(arguments_, options_);
    more.genes = inputs_.genes;
    more.haplotypes = !arguments_.variants.empty();
    more.files = inputs_.reference.files;
    return more;
  }

  io::ScanSinkOptions sink_options() const {
    io::ScanSinkOptions options{arguments_.output, canonical_command_line(arguments_, inputs_.reference.fasta),
                                version(), options_.threads, level_};
    options.more = more_columns();
    return options;
  }

  void scan_alone(io::Progress& progress) {
    if (rule_) {
      call_reads(progress);
      return;
    }
    sink_.emplace(sink_options(), searched_);
    const std::vector<scan::Record> others = haplotype_records();
    run::MergingSink merged(*sink_, others);
    scan_chunks(merged, progress);
    sequence::ContigNames names;
    for (const auto& contig : chunks_->contigs()) {
      names.set(names.size(), contig.name);
    }
    merged.finish(names);
  }

  // With --extract, a table is written only if it has a name.
  bool has_table() const { return arguments_.extract.empty() || arguments_.has_output; }

  // --per-read best.
  void call_reads(io::Progress& progress) {
    if (has_table()) {
      table_.emplace(sink_options(), searched_);
    }
    if (!arguments_.extract.empty()) {
      const io::Trim trim = arguments_.trim == "before"  ? io::Trim::before
                            : arguments_.trim == "after" ? io::Trim::after
                                                         : io::Trim::none;
      folder_.emplace(io::ReadFolderOptions{arguments_.extract, trim, options_.threads, level_}, searched_);
    }
    stats_.reads.emplace();
    run::ReadCalls calls(*rule_, [&](const sequence::ReadBatch& reads, std::span<const scan::ReadCall> of_them) {
      if (table_) {
        table_->write(reads, of_them);
      }
      if (folder_) {
        folder_->write(reads, of_them);
      }
      stats_.count(of_them);
    });
    scan_chunks(calls, progress);
  }

  void scan_chunks(io::RecordSink& sink, io::Progress& progress) {
    run::scan_reference(chunks_, *finder_, queries_, options_, sink, progress, stats_,
                        chunk_size_ ? &*chunk_size_ : nullptr, circles_.get());
  }

  void close_output() {
    if (folder_) {
      folder_->close();
    }
    if (table_) {
      table_->close();
    }
    if (sink_) {
      sink_->close(chunks_->contigs(), chunks_->md5s());
    }
  }

  // The sites on alternative alleles; none without --vcf.
  std::vector<scan::Record> haplotype_records() {
    if (arguments_.variants.empty()) {
      return {};
    }
    Stopwatch watch;
    run::HaplotypeScan haplotypes(inputs_.in_memory, *finder_, queries_, options_);
    haplotypes.run(arguments_.variants);
    for (const std::string& warning : haplotypes.warnings()) {
      run_.warn(warning);
    }
    run_.say(arguments_.variants + ": " + counted(haplotypes.records().size(), "site") +
             " with alternative alleles, besides those of the reference");
    watch.lap(stats_.seconds["haplotypes"]);
    return std::move(haplotypes.records());
  }

  // Scans the chunks of all ranks. Afterwards the statistics of the first rank are those of all.
  void scan_with_others(io::Progress& progress) {
    cluster_.together([&] {
      if (cluster_.is_first()) {
        sink_.emplace(sink_options(), searched_);
      }
    });
    std::optional<ranks::ScanSource> source;
    if (cluster_.is_first()) {
      source.emplace(ranks::ScanSource{chunks_, inputs_.reference.bytes, chunk_size_, progress, *sink_});
    }
    io::ScanLines lines(format_, searched_, options_.threads, more_columns());
    ranks::run_scan_ranks(cluster_, source ? &*source : nullptr,
                          run_.run_end("not enough memory: use a machine with more"), *finder_, queries_, options_,
                          lines, stats_);
    gather_stats();
  }

  // Adds up the counts of all ranks, on the first one.
  void gather_stats() {
    Packer packer;
    packer.add(run_.of_this_rank(stats_.searched_bases));
    if (stats_.sites && !cluster_.is_first()) {
      packer.add(*stats_.sites);
    }
    for (const std::string& rank : cluster_.gather(packer.bytes())) {
      Unpacker unpacker(rank);
      unpacker.get(stats_.ranks.emplace_back());
      if (stats_.sites && !unpacker.at_end()) {
        io::SiteSample sites(0);
        unpacker.get(sites);
        stats_.sites->add(sites);
      }
    }
    stats_.records_by_distance.resize(options_.max_edits + std::size_t{1});
    cluster_.sum({&stats_.records, 1});
    cluster_.sum(stats_.records_by_distance);
    if (stats_.records_by_pattern) {
      cluster_.sum(stats_.records_by_pattern->all());
    }
    if (stats_.guides) {
      cluster_.sum(stats_.guides->all());
    }
    while (!stats_.records_by_distance.empty() && stats_.records_by_distance.back() == 0) {
      stats_.records_by_distance.pop_back();
    }
  }

  void say_warnings() {
    if (const std::string warning = chunks_->warning(); !warning.empty()) {
      run_.warn(warning);
    }
    if (const std::string what = against_circular(); circles_ && !circles_->empty() && !what.empty()) {
      run_.warn(
          "sequences with TP:circular in their headers were taken as linear: places over an origin cannot be used "
          "with " +
          what);
    }
    const auto has_genes = [&](const sequence::Contig& contig) { return inputs_.genes->has_contig(contig.name); };
    if (arguments_.trim != "none" && stats_.reads && stats_.reads->several_places > 0) {
      run_.warn(counted(stats_.reads->several_places, "read") +
                " with several places as good as the best one: --trim cuts at the leftmost in the read, at the columns "
                "start and end of "
                "the table (-o)");
    }
    if (inputs_.genes && std::none_of(chunks_->contigs().begin(), chunks_->contigs().end(), has_genes)) {
      run_.warn("no sequence of the reference has a gene in " + arguments_.annotation +
                ": their names differ, for example chr1 and 1");
    }
  }

  ScanArguments arguments_;
  ranks::Cluster& cluster_;
  io::ScanStats stats_;
  CommandRun run_;

  scan::Options options_;
  std::optional<scan::CallRule> rule_;  // with --per-read best
  io::ScanFormat format_ = io::ScanFormat::bed;
  int level_ = 0;
  std::string genome_;  // with --igv-session, on the first rank: the FASTA
  std::optional<run::ScanChoice> choice_;

  ScanInputs inputs_;
  scan::PatternList searched_;  // the patterns with the PAM
  scan::QueryList queries_;
  std::unique_ptr<scan::Finder> finder_;
  // On the first rank:
  std::optional<run::ChunkSize> chunk_size_;  // none: the user has set it
  std::shared_ptr<io::ChunkSource> chunks_;
  bool in_reads_ = false;
  std::shared_ptr<const io::Circles> circles_;  // of a reference; null: reads
  std::optional<io::ScanSink> sink_;
  std::optional<io::ReadCallTable> table_;  // in place of it, with --per-read best
  std::optional<io::ReadFolder> folder_;    // --extract
};

// The reference is read piece by piece: the patterns are what memory can be too small for.
void run_scan(const ScanArguments& arguments, ranks::Cluster& cluster) {
  try {
    ScanRun(arguments, cluster).run();
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory: give fewer patterns at a time, fewer --threads, or a machine with more memory" +
                memory_limit_text());
  }
}

// --server.
void scan_by_server(const ScanArguments& arguments, serve::Fields parameters) {
  scan_options(arguments);
  const io::ScanFormat format = io::scan_format(arguments.output);
  const int level = compression_level(arguments, io::is_packed(format));
  parameters.emplace_back("format", format == io::ScanFormat::sam  ? "sam"
                                    : !io::is_table(format)        ? "bed"
                                    : io::separator(format) == ',' ? "csv"
                                                                   : "tsv");
  ServerCall call{"scan", arguments.server, arguments.reference, {}, std::move(parameters), "/scan"};
  if (!arguments.pattern_file.empty()) {
    call.files.push_back({"patterns", arguments.pattern_file});
  }
  ask_server(call, arguments, io::is_packed(format) ? std::optional(level) : std::nullopt);
}

constexpr const char* kScanExamples = R"(
Examples:
  trawl scan -e 2 -p GGTAYACTTACCAGC genome.fa -o primer.bed
      every locus of a primer within 2 edits, on both strands
  trawl scan -e 4 --max-bulges 1 --pam NGG genome.fa guides.fa -o sites.tsv
      off-targets of guides: the PAM exact, up to 4 edits, at most one of them a base in a bulge
  trawl scan -e 4 --pam NGG,NAG genome.fa guides.csv -o sites.tsv --annotate genes.gff3
      two PAMs; the gene of each site
  trawl scan --metric hamming -e 3 --report ends genome.fa probes.tsv -o probes.bed.gz
  trawl scan -e 3 --per-read best reads.fq.gz barcodes.fa -o calls.tsv
      a row for each read: its best barcode, and how far the next one is
  trawl scan -e 3 --within 5p:150,3p:150 --extract by_barcode reads.fq.gz barcodes.fa
      the barcodes in the first and last 150 bases; a file of reads for each
  zcat genome.fa.gz | trawl scan -p GAATTC - | bedtools merge -i -
)";

}  // namespace

Command scan_command(const std::string& typed) {
  const auto arguments = std::make_shared<ScanArguments>();
  arguments->command_line = typed;
  Command command{.name = "scan",
                  .description = "Search patterns: every place within an edit distance, with no index",
                  .options = scan_table(*arguments),
                  .footer = kScanExamples};
  const auto parameters = std::make_shared<serve::Fields>();
  command.settings = [](const Command& given) {
    return given.is_given("--extract") ? std::vector<Setting>{{"--per-read", "best"}} : std::vector<Setting>();
  };
  command.check = [arguments, parameters](const Command& given) {
    arguments->has_output = given.is_given("--output");
    if (!arguments->server.empty()) {
      *parameters = parameters_of(given);
    }
  };
  command.work = [arguments, parameters](ranks::Cluster& cluster) {
    if (arguments->server.empty()) {
      run_scan(*arguments, cluster);
    } else if (cluster.is_first()) {
      scan_by_server(*arguments, *parameters);
    }
  };
  return command;
}

}  // namespace trawl::cli
