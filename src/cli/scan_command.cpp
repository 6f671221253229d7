#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "cli/amplicon_command.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/load_reference.hpp"
#include "cli/pattern_check.hpp"
#include "cli/scan_messages.hpp"
#include "cli/scan_options.hpp"
#include "cli/scan_pipeline.hpp"
#include "cli/scan_ranks.hpp"
#include "engine/registry.hpp"
#include "io/in/fasta_chunks.hpp"
#include "io/in/input_file.hpp"
#include "io/index/index_contigs.hpp"
#include "io/index/saved_index.hpp"
#include "io/out/scan_sink.hpp"
#include "io/stats/multiqc.hpp"
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
  Scan(const ScanArguments& arguments, cluster::Cluster& cluster)
      : arguments_(arguments), cluster_(cluster), run_("scan", arguments, stats_, &cluster) {}

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
      io::Progress progress = make_progress();
      ChunkSize size(queries_.size());
      run_scan_pipeline(chunks_, *finder_, queries_, options_, sink, progress, stats_,
                        arguments_.chunk_size > 0 ? nullptr : &size);
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
    level_ = compression_level(arguments_, format_ == io::ScanFormat::bed_gz);
    choice_.emplace(arguments_.engine, options_);
    std::vector<std::string> inputs{arguments_.reference};
    if (!arguments_.pattern_file.empty()) {
      inputs.push_back(arguments_.pattern_file);
    }
    run_.begin(inputs, options_.threads);
  }

  void read_patterns() {
    Stopwatch watch;
    patterns_ = cli::read_patterns(arguments_);
    watch.lap(stats_.seconds["patterns"]);
    if (!arguments_.memory.empty()) {
      check_memory(patterns_, options_, !arguments_.stats.empty(), parse_bytes("--memory", arguments_.memory));
    }
    for (const auto& warning : pattern_warnings(patterns_, options_)) {
      run_.say(warning);
    }
    watch.lap(stats_.seconds["check"]);
  }

  void open_reference() {
    text_ = open_text(arguments_.reference, options_.threads);
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
      packer.number(text_.bytes).text(packed(patterns_));
    }
    std::string bytes = packer.take();
    cluster_.broadcast(bytes);
    if (!cluster_.is_first()) {
      Unpacker unpacker(bytes);
      text_.bytes = unpacker.number<decltype(text_.bytes)>();
      patterns_ = patterns_of(unpacker.text());
    }
  }

  void prepare() {
    Stopwatch watch;
    stats_.patterns = patterns_.size();
    queries_ = scan::make_queries(patterns_, options_);
    watch.lap(stats_.seconds["queries"]);
    std::vector<bool> searched;
    for (const auto pattern : patterns_) {
      searched.push_back(!scan::matches_everywhere(pattern, options_.max_edits));
      stats_.patterns_not_searched += searched.back() ? 0 : 1;
    }
    if (!arguments_.stats.empty()) {
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

  scan::PatternList written_patterns() const {
    return options_.pam.bases.empty() ? patterns_ : with_pam(patterns_, options_.pam);
  }
  io::ScanSinkOptions sink_options() const {
    return {arguments_.output, canonical_command_line(arguments_, text_.fasta), version(), options_.threads, level_};
  }
  io::Progress make_progress() const { return {arguments_.progress == "auto", text_.bytes, "bases"}; }
  std::optional<int> packing() const {
    return format_ == io::ScanFormat::bed_gz ? std::optional(level_) : std::nullopt;
  }

  void run_first() {
    std::optional<io::ScanSink> sink;
    cluster_.together([&] {
      auto options = sink_options();
      options.give_place = [this](std::uint64_t rank, std::uint64_t place) { give_scan_place(cluster_, rank, place); };
      options.has_other_hosts = cluster_.nodes() > 1;
      sink.emplace(options, written_patterns());
    });
    const io::OutputFile* const file = sink->shared() != nullptr ? &sink->shared()->file() : nullptr;
    std::string opened = file != nullptr ? file->path_for_others() : "";
    cluster_.broadcast(opened);
    cluster_.together([] {});  // the others open it
    io::Progress progress = make_progress();
    const auto size = arguments_.chunk_size > 0 ? std::nullopt : std::optional(ChunkSize(queries_.size()));
    ScanSource source{chunks_, text_.bytes, size, progress, *sink};
    io::ScanText lines(format_, written_patterns(), options_.threads);
    run_scan_ranks(cluster_, &source, {file, packing()}, *finder_, queries_, options_, lines, stats_);
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
    io::ScanText lines(format_, written_patterns(), options_.threads);
    run_scan_ranks(cluster_, nullptr, {file ? &*file : nullptr, packing()}, *finder_, queries_, options_, lines,
                   stats_);
    if (file) {
      file->check_written();
    }
    gather_stats();
  }

  // Adds up the counts of all ranks, on the first one. When it returns there, all ranks have written their lines.
  void gather_stats() {
    const cluster::Cluster::Traffic sent = cluster_.sent();
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
    for (const std::string& rank : cluster_.gather(packer.bytes())) {
      Unpacker unpacker(rank);
      stats_.ranks.emplace_back().unpack(unpacker);
    }
    stats_.records_by_distance.resize(options_.max_edits + std::size_t{1});
    cluster_.sum({&stats_.records, 1});
    cluster_.sum(stats_.records_by_distance);
    if (stats_.records_by_pattern) {
      cluster_.sum(stats_.records_by_pattern->all());
    }
    while (!stats_.records_by_distance.empty() && stats_.records_by_distance.back() == 0) {
      stats_.records_by_distance.pop_back();
    }
  }

  void finish(io::ScanSink& sink, io::Progress& progress) {
    if (const std::string warning = chunks_->warning(); !warning.empty()) {
      run_.say(warning);
    }
    run_.end([&] { sink.close(chunks_->contigs(), chunks_->md5s()); }, progress);
    if (!arguments_.multiqc.empty()) {
      io::write_multiqc(stats_, arguments_.multiqc);
    }
    run_.report([&](const std::string& path) { io::write_stats(stats_, patterns_, path); }, summary(stats_, options_));
  }

  const ScanArguments& arguments_;
  cluster::Cluster& cluster_;
  io::ScanStats stats_;
  CommandRun run_;
  scan::Options options_;
  io::ScanFormat format_ = io::ScanFormat::bed;
  int level_ = 0;
  std::optional<engine::ScanChoice> choice_;
  scan::PatternList patterns_;
  ScanText text_;  // the contigs on the first rank only
  scan::QueryList queries_;
  std::unique_ptr<scan::Finder> finder_;
  std::shared_ptr<io::FastaChunks> chunks_;  // on the first rank
};

// The reference is read piece by piece: the patterns are what memory can be too small for.
void run_scan(const ScanArguments& arguments, cluster::Cluster& cluster) {
  try {
    if (arguments.amplicons.empty()) {
      Scan(arguments, cluster).run();
    } else {
      on_first_rank([&] { run_amplicons(arguments); })(cluster);
    }
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
