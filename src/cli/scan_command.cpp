#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "cli/amplicon_command.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/pattern_check.hpp"
#include "cli/primers_check.hpp"
#include "cli/scan_options.hpp"
#include "io/index/index_contigs.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/annotation.hpp"
#include "io/read/fasta_chunks.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/report/igv_session.hpp"
#include "io/report/report_page.hpp"
#include "io/report/scan_report.hpp"
#include "io/stats/guide_table.hpp"
#include "io/stats/multiqc.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/by_pattern_sink.hpp"
#include "io/write/scan_sink.hpp"
#include "ranks/scan_messages.hpp"
#include "ranks/scan_ranks.hpp"
#include "run/engine_choice.hpp"
#include "run/haplotype_scan.hpp"
#include "run/load_reference.hpp"
#include "run/scan_pipeline.hpp"
#include "scan/find/query.hpp"
#include "scan/report/site.hpp"

namespace trawl::cli {

namespace {

std::string summary(const io::ScanStats& stats, const scan::Options& options) {
  const std::string not_searched =
      stats.patterns_not_searched > 0 ? std::to_string(stats.patterns_not_searched) + " not searched, " : "";
  return counted(stats.patterns, "pattern") + ", " + not_searched + counted(stats.reference_bases, "base") + ", " +
         (options.report == scan::Report::ends ? counted(stats.records, "end")
                                               : counted(stats.records, "locus", "loci")) +
         ", " + seconds_text(stats.wall_seconds);
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
  run::LoadedReference loaded = run::load_reference(path, threads);
  const std::uint64_t bases = loaded.reference.bases();
  return {std::make_unique<io::IndexContigs>(std::make_shared<sequence::Reference>(std::move(loaded.reference))), bases,
          std::move(loaded.fasta), std::move(loaded.warnings)};
}

// The patterns as they are searched.
scan::PatternList with_pam(const scan::PatternList& patterns, const scan::Pam& pam) {
  scan::PatternList all;
  for (const auto [name, bases] : patterns) {
    all.add(name, pam.is_last ? std::string(bases) + pam.bases : pam.bases + std::string(bases));
  }
  return all;
}

// The work of one rank, or of the only process.
class Scan {
 public:
  Scan(const ScanArguments& arguments, ranks::Cluster& cluster)
      : arguments_(arguments), cluster_(cluster), run_("scan", arguments_, stats_, &cluster) {}

  void run() {
    cluster_.together([&] { read_options(); });
    cluster_.together([&] {
      if (cluster_.is_first()) {
        read_patterns();
        open_reference();
      }
    });
    share();
    cluster_.together([&] { prepare(); });
    if (cluster_.is_alone()) {
      io::ScanSink sink(sink_options(), written_patterns());
      std::optional<io::ByPatternSink> by_pattern;
      if (arguments_.order == "pattern") {
        by_pattern.emplace(sink);
      }
      const std::vector<scan::Record> others = haplotype_records();
      run::MergingSink merged(by_pattern ? static_cast<io::RecordSink&>(*by_pattern) : sink, others);
      io::Progress progress = make_progress();
      run::ChunkSize size(queries_.size());
      run::run_scan_pipeline(chunks_, *finder_, queries_, options_, merged, progress, stats_,
                             arguments_.chunk_size > 0 ? nullptr : &size);
      std::vector<std::string> names;
      for (const auto& contig : chunks_->contigs()) {
        names.push_back(contig.name);
      }
      merged.finish(names);
      if (by_pattern) {
        by_pattern->finish();
      }
      finish(sink, progress);
    } else if (cluster_.is_first()) {
      run_first();
    } else {
      run_other();
    }
  }

 private:
  void read_options() {
    options_ = scan_options(arguments_);
    share_node(cluster_, arguments_, options_);
    format_ = io::scan_format(arguments_.output);
    level_ = compression_level(arguments_, io::is_packed(format_));
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
    if (!arguments_.annotation.empty() && !io::is_table(format_)) {
      throw UsageError("--annotate adds columns to a table; give -o a file named .tsv or .csv");
    }
    if (!arguments_.variants.empty() && (!io::is_table(format_) || !cluster_.is_alone())) {
      throw UsageError(cluster_.is_alone() ? "--vcf adds columns to a table; give -o a file named .tsv or .csv"
                                           : "--vcf cannot be used under mpirun; use it without");
    }
    if (!arguments_.summary.empty()) {
      io::check_guide_table(arguments_.summary);
    }
    if (arguments_.order == "pattern" && format_ == io::ScanFormat::sam) {
      throw UsageError("--order pattern: SAM is sorted by position; give -o a file named .tsv, .csv or .bed");
    }
    if (arguments_.order == "pattern" && !cluster_.is_alone()) {
      throw UsageError("--order pattern cannot be used under mpirun; use it without, or sort the table afterwards");
    }
  }

  // An input of Cas-OFFinder also has options.
  void take_cas_options() {
    if (!cas_) {
      return;
    }
    const std::string what = take_options(*cas_, arguments_);
    if (cluster_.is_first()) {
      run_.say(what);
    }
    const WorkOptions work = options_;
    options_ = scan_options(arguments_);
    static_cast<WorkOptions&>(options_) = work;
    choice_.emplace(arguments_.engine, options_);
  }

  bool with_report() const { return !arguments_.report_html.empty() || !arguments_.igv_session.empty(); }

  void read_patterns() {
    Stopwatch watch;
    patterns_ = cli::read_patterns(arguments_, cas_);
    take_cas_options();
    watch.lap(stats_.seconds["patterns"]);
    if (!arguments_.memory.empty()) {
      check_memory(patterns_, options_, !arguments_.stats.empty() || with_report(),
                   parse_bytes("--memory", arguments_.memory));
    }
    if (const std::string warning = primer_pairs_warning(arguments_.pattern_file); !warning.empty()) {
      run_.say(warning);
    }
    for (const auto& warning : pattern_warnings(patterns_, options_)) {
      run_.say(warning);
    }
    watch.lap(stats_.seconds["check"]);
  }

  void open_reference() {
    if (!arguments_.annotation.empty()) {
      genes_ = io::read_annotation(arguments_.annotation);
    }
    if (arguments_.variants.empty()) {
      text_ = open_text(arguments_.reference, options_.threads);
    } else {
      // The pieces of haplotypes need letters from everywhere.
      run::LoadedReference loaded = run::load_reference(arguments_.reference, options_.threads);
      reference_ = std::make_shared<const sequence::Reference>(std::move(loaded.reference));
      text_ = {std::make_unique<io::IndexContigs>(reference_), reference_->bases(), std::move(loaded.fasta),
               std::move(loaded.warnings)};
    }
    for (const auto& warning : text_.warnings) {
      run_.say(warning);
    }
  }

  // What the first rank has read, on all ranks.
  void share() {
    if (cluster_.is_alone()) {
      return;
    }
    Packer packer;
    if (cluster_.is_first()) {
      packer.number(text_.bytes).text(ranks::packed(patterns_)).text(genes_ ? genes_->packed() : "");
      packer.number(cas_.has_value());
      if (cas_) {
        packer.text(cas_->pam).number(cas_->is_last).number(cas_->mismatches).number(cas_->bulges);
      }
    }
    std::string bytes = packer.take();
    cluster_.broadcast(bytes);
    if (!cluster_.is_first()) {
      Unpacker unpacker(bytes);
      text_.bytes = unpacker.number<decltype(text_.bytes)>();
      patterns_ = ranks::patterns_of(unpacker.text());
      const std::string_view genes = unpacker.text();
      if (!arguments_.annotation.empty()) {
        genes_ = std::make_shared<const io::Annotation>(io::Annotation::unpacked(genes));
      }
      if (unpacker.number<bool>()) {
        cas_.emplace();
        cas_->pam = unpacker.text();
        cas_->is_last = unpacker.number<bool>();
        cas_->mismatches = unpacker.number<std::uint32_t>();
        cas_->bulges = unpacker.number<std::uint32_t>();
        take_cas_options();
      }
    }
  }

  void prepare() {
    Stopwatch watch;
    if (options_.pam.bases.empty() && !(arguments_.summary.empty() && arguments_.variants.empty())) {
      throw UsageError(std::string(arguments_.summary.empty() ? "--vcf" : "--summary") + " is for guides; give --pam");
    }
    if (!arguments_.summary.empty()) {
      stats_.guides.emplace(patterns_, options_, guide_rules());
    }
    stats_.patterns = patterns_.size();
    queries_ = scan::make_queries(patterns_, options_);
    watch.lap(stats_.seconds["queries"]);
    std::vector<bool> searched;
    for (const auto pattern : patterns_) {
      searched.push_back(!scan::matches_everywhere(pattern, options_.max_edits));
      stats_.patterns_not_searched += searched.back() ? 0 : 1;
    }
    if (with_report()) {
      stats_.sites.emplace(patterns_.size());
    }
    if (!arguments_.stats.empty() || with_report()) {
      stats_.records_by_pattern.emplace(std::move(searched), options_.max_edits);
    }
    watch.lap(stats_.seconds["check"]);
    finder_ = choice_->make(queries_, text_.bytes);
    watch.lap(stats_.seconds["tables"]);
    run_.say_engine(finder_->description(), choice_->why());
    if (cluster_.is_first()) {
      io::ChunkOptions chunk_options;
      if (arguments_.chunk_size > 0) {
        chunk_options.bases = arguments_.chunk_size;
      }
      chunk_options.overlap = scan::SiteFinder(queries_, options_).overlap();
      chunk_options.with_md5 = format_ == io::ScanFormat::sam;
      chunks_ = std::make_shared<io::FastaChunks>(std::move(text_.contigs), chunk_options, options_.threads);
    }
  }

  // The sites on alternative alleles; none without --vcf.
  std::vector<scan::Record> haplotype_records() {
    if (arguments_.variants.empty()) {
      return {};
    }
    Stopwatch watch;
    run::HaplotypeScan haplotypes(reference_, *finder_, queries_, options_);
    haplotypes.run(arguments_.variants);
    for (const std::string& warning : haplotypes.warnings()) {
      run_.say(warning);
    }
    run_.say(arguments_.variants + ": " + counted(haplotypes.records().size(), "site") +
             " with alternative alleles, besides those of the reference");
    watch.lap(stats_.seconds["haplotypes"]);
    return std::move(haplotypes.records());
  }

  scan::PatternList written_patterns() const {
    return options_.pam.bases.empty() ? patterns_ : with_pam(patterns_, options_.pam);
  }
  io::ScanSinkOptions sink_options() const {
    io::ScanSinkOptions options{arguments_.output, canonical_command_line(arguments_, text_.fasta), version(),
                                options_.threads, level_};
    options.more = more_columns();
    return options;
  }
  scan::GuideRules guide_rules() const { return {options_.pam, options_.ambiguous_matches, arguments_.seed_length}; }
  io::MoreColumns more_columns() const {
    io::MoreColumns more;
    if (!options_.pam.bases.empty()) {
      more.guides = guide_rules();
      more.ungapped = options_.max_bulges > 0;
    }
    more.genes = genes_;
    more.haplotypes = !arguments_.variants.empty();
    return more;
  }
  io::Progress make_progress() const { return {run_.shows_progress(), text_.bytes, "bases"}; }
  std::optional<int> packing() const { return io::is_packed(format_) ? std::optional(level_) : std::nullopt; }

  void run_first() {
    std::optional<io::ScanSink> sink;
    cluster_.together([&] {
      auto options = sink_options();
      options.give_place = [this](std::uint64_t rank, std::uint64_t place) {
        ranks::give_scan_place(cluster_, rank, place);
      };
      options.has_other_hosts = cluster_.nodes() > 1;
      sink.emplace(options, written_patterns());
    });
    const io::OutputFile* const file = sink->shared() != nullptr ? &sink->shared()->file() : nullptr;
    std::string opened = file != nullptr ? file->path_for_others() : "";
    cluster_.broadcast(opened);
    cluster_.together([] {});  // the others open it
    io::Progress progress = make_progress();
    const auto size = arguments_.chunk_size > 0 ? std::nullopt : std::optional(run::ChunkSize(queries_.size()));
    ranks::ScanSource source{chunks_, text_.bytes, size, progress, *sink};
    io::ScanText lines(format_, written_patterns(), options_.threads, more_columns());
    ranks::run_scan_ranks(cluster_, &source, {file, packing()}, *finder_, queries_, options_, lines, stats_);
    gather_stats();
    finish(*sink, progress);
  }

  void run_other() {
    cluster_.together([] {});  // the first rank makes the output
    std::string opened;
    cluster_.broadcast(opened);
    std::optional<io::OutputFile> file;
    cluster_.together([&] {
      if (!opened.empty()) {
        file.emplace(io::OutputName(arguments_.output, opened));
      }
    });
    io::ScanText lines(format_, written_patterns(), options_.threads, more_columns());
    ranks::run_scan_ranks(cluster_, nullptr, {file ? &*file : nullptr, packing()}, *finder_, queries_, options_, lines,
                          stats_);
    if (file) {
      file->check_written();
    }
    gather_stats();
  }

  // Adds up the counts of all ranks, on the first one. When it returns there, all ranks have written their lines.
  void gather_stats() {
    const ranks::Cluster::Traffic sent = cluster_.sent();
    const io::CommandStats::Rank mine{.host = cluster_.host(),
                                      .engine = stats_.engine,
                                      .threads = stats_.threads,
                                      .done = stats_.searched_bases,
                                      .seconds = stats_.seconds,
                                      .peak_resident_bytes = io::peak_resident_bytes(),
                                      .messages_sent = sent.messages,
                                      .bytes_sent = sent.bytes};
    Packer packer;
    mine.pack(packer);
    if (stats_.sites && !cluster_.is_first()) {
      stats_.sites->pack(packer);
    }
    for (const std::string& rank : cluster_.gather(packer.bytes())) {
      Unpacker unpacker(rank);
      stats_.ranks.emplace_back().unpack(unpacker);
      if (stats_.sites && !unpacker.at_end()) {
        stats_.sites->add_packed(unpacker);
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

  void finish(io::ScanSink& sink, io::Progress& progress) {
    if (const std::string warning = chunks_->warning(); !warning.empty()) {
      run_.say(warning);
    }
    const auto has_genes = [&](const sequence::Contig& contig) { return genes_->has_contig(contig.name); };
    if (genes_ && std::none_of(chunks_->contigs().begin(), chunks_->contigs().end(), has_genes)) {
      run_.say("no sequence of the reference has a gene in " + arguments_.annotation +
               ": their names differ, for example chr1 and 1");
    }
    run_.end([&] { sink.close(chunks_->contigs(), chunks_->md5s()); }, progress);
    if (stats_.guides) {
      io::write_guide_table(*stats_.guides, patterns_, arguments_.summary, level_);
    }
    if (!arguments_.multiqc.empty()) {
      io::write_multiqc(stats_, arguments_.multiqc);
    }
    if (with_report()) {
      write_reports();
    }
    run_.report([&](const std::string& path) { io::write_stats(stats_, patterns_, path); }, summary(stats_, options_));
  }

  void write_reports() {
    const std::vector<sequence::Contig>& contigs = chunks_->contigs();
    const std::vector<io::Region> windows = io::site_windows(*stats_.sites, contigs);
    if (!arguments_.report_html.empty()) {
      std::vector<std::string> letters;
      if (arguments_.reference != "-" && io::file_size(arguments_.reference)) {  // a pipe cannot be read again
        letters =
            io::read_letters(open_text(arguments_.reference, options_.threads).contigs, windows, options_.threads);
      }
      io::RunFiles files{text_.fasta, arguments_.patterns, arguments_.output};
      if (!arguments_.pattern_file.empty()) {
        files.inputs.push_back(arguments_.pattern_file);
      }
      const scan::PatternList patterns = written_patterns();
      io::write_report_page(io::scan_report_json({stats_, patterns, contigs, files, !arguments_.variants.empty(),
                                                  options_.ambiguous_matches, windows, letters}),
                            arguments_.report_html);
    }
    if (!arguments_.igv_session.empty()) {
      io::IgvSession session{genome_, arguments_.output, {}};
      for (const io::Site& site : first_sites()) {
        session.regions.push_back({contigs[site.contig].name, site.start, site.end});
      }
      io::write_igv_session(session, arguments_.igv_session);
    }
  }

  // The closest sites of the first pattern that has any.
  std::vector<io::Site> first_sites() const {
    for (std::size_t p = 0; p < stats_.sites->patterns(); ++p) {
      if (!stats_.sites->closest(p).empty()) {
        return stats_.sites->closest(p);
      }
    }
    return {};
  }

  ScanArguments arguments_;
  ranks::Cluster& cluster_;
  io::ScanStats stats_;
  CommandRun run_;
  scan::Options options_;
  io::ScanFormat format_ = io::ScanFormat::bed;
  int level_ = 0;
  std::optional<run::ScanChoice> choice_;
  scan::PatternList patterns_;
  std::optional<io::CasOffinderInput> cas_;
  std::shared_ptr<const io::Annotation> genes_;
  std::shared_ptr<const sequence::Reference> reference_;  // with --vcf
  ScanText text_;                                         // the contigs on the first rank only
  std::string genome_;                                    // with --igv-session, on the first rank: the FASTA
  scan::QueryList queries_;
  std::unique_ptr<scan::Finder> finder_;
  std::shared_ptr<io::FastaChunks> chunks_;  // on the first rank
};

// The reference is read piece by piece: the patterns are what memory can be too small for.
void run_scan(const ScanArguments& arguments, ranks::Cluster& cluster) {
  try {
    if (arguments.amplicons.empty()) {
      Scan(arguments, cluster).run();
    } else {
      on_first_rank([&] { run_amplicons(arguments); })(cluster);
    }
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory: give fewer patterns at a time, fewer --threads, or a machine with more memory" +
                memory_limit_text());
  }
}

}  // namespace

void add_scan_command(CLI::App& app, Command& run, const std::string& typed) {
  add_command<ScanArguments>(app, "scan", "Search patterns: every place within an edit distance, with no index", run,
                             typed, run_scan);
}

}  // namespace trawl::cli
